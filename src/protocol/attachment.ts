/** A file that goes along with a message, as it was when the message was sent. */
export type AttachedFile =
  /** A text, a part of one, or the list of a directory. */
  | { readonly type: 'text'; readonly path: string; readonly about: string; readonly text: string }
  /** A picture, for models that take them; `data` is base64. */
  | {
      readonly type: 'image';
      readonly path: string;
      readonly about: string;
      readonly mediaType: ImageType;
      readonly data: string;
    };

/** The kinds of pictures that models take. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
