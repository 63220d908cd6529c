import { find } from '../findings.ts';
import { usePath } from '../path-use.ts';
import type { RuleTable } from '../program.ts';

/** Programs for pictures, sound, films and documents: what they show, and what they make. */
export const MEDIA: RuleTable = {
  ffprobe: {
    single: true,
    long: 'v= loglevel= i= of= print_format= show_format show_streams show_packets show_frames show_chapters show_programs show_data show_error show_entries= select_streams= read_intervals= count_frames count_packets hide_banner pretty unit prefix sexagesimal bitexact version formats codecs decoders encoders filters pix_fmts protocols',
    judge: ({ operands, options }, { scope }) =>
      [...operands, ...options.flatMap(({ name, value }) => (name === 'i' && value !== null ? [value] : []))].flatMap(
        (word) =>
          /^[\w.+-]+:/.test(word.start) || word.value === null
            ? [find('network', word.text)]
            : usePath(word, 'content', scope),
      ),
  },
  ffmpeg: {
    single: true,
    long: 'version formats codecs decoders encoders filters pix_fmts protocols hwaccels hide_banner buildconf muxers demuxers bsfs layouts devices',
    judge: ({ operands }) => (operands.length === 0 ? [] : [find('changes', 'a film')]),
  },
  identify: {
    single: true,
    long: 'verbose format= ping quiet version list=',
    judge: ({ operands }, { scope }) =>
      operands.flatMap((word) =>
        /^[A-Za-z]+:|^@/.test(word.start) ? [find('runs', word.text)] : usePath(word, 'content', scope),
      ),
  },
  exiftool: {
    judge: (_, { words, scope }) =>
      words.flatMap((word) => {
        if (
          /^-[A-Za-z][\w:]*$/.test(word.value ?? '') &&
          !/^-(config|execute|stay_open|[@owWprF]|if|argFile|tagsfromfile|overwrite_original\w*|delete_original\w*|geotag|csv|json|all|use|fileOrder|restore_original\w*)$/i.test(
            word.value ?? '',
          )
        )
          return [];
        return /^[-+@]/.test(word.start) || word.value === null
          ? [find('changes', `${word.text} of exiftool`)]
          : usePath(word, 'content', scope);
      }),
    any: true,
  },
  mediainfo: {
    judge: (_, { words, scope }) =>
      words.flatMap((word) =>
        /^--(LogFile|Config)/i.test(word.start) ? [find('changes', word.text)] : usePath(word, 'content', scope),
      ),
    any: true,
  },
  'pdfinfo pdffonts pdfimages': {
    any: true,
    judge: ({ options, operands }, { name, scope }) =>
      name === 'pdfimages' && !options.some((option) => option.name === 'l' || option.name === 'list')
        ? [find('changes', 'pictures of a document')]
        : operands.flatMap((word) => usePath(word, 'content', scope)),
  },
  pdftotext: {
    single: true,
    long: 'f= l= layout raw nopgbrk enc= eol= q simple table bbox htmlmeta r= x= y= W= H=',
    judge: ({ operands }, { scope }) => {
      const [source, target] = operands;
      const read = source === undefined ? [] : usePath(source, 'content', scope);
      return target?.value === '-' ? read : [...read, find('changes', 'a text beside the document')];
    },
  },
  soxi: { any: true, operands: 'content' },
  'aplay arecord': {
    any: true,
    judge: (_, { words }) => (/^-[lL]$/.test(words[0]?.value ?? '') ? [] : [find('runs', 'sound')]),
  },
};
