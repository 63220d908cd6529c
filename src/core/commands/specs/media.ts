import { joinedRegExp } from '../../text/joined-regexp.ts';
import { type Argument, literal } from '../argument.ts';
import { classifyEscapes, classifyStarted } from '../custom/started-code.ts';
import { hasOption, type Invocation, isGiven } from '../parse.ts';
import { usePath } from '../path-use.ts';
import type { Call, SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

/** Options of exiftool that do more than select a tag. */
const MORE_THAN_A_TAG = joinedRegExp(
  'i',
  String.raw`^-(config|execute|api|charset|stay_open|[@owWprF]|if|argFile|tagsfromfile|overwrite_original\w*`,
  String.raw`|delete_original\w*|geotag|all|use|fileOrder|restore_original\w*)$`,
);

/** Programs for images, sound, films and documents. */
export const MEDIA: SpecTable = {
  ffprobe: {
    single: true,
    options: `v= loglevel= i= of= print_format= show_format show_streams show_packets show_frames show_chapters show_programs show_data
      show_error show_entries= select_streams= read_intervals= count_frames count_packets hide_banner pretty unit prefix sexagesimal
      bitexact version formats codecs decoders encoders filters pix_fmts protocols`,
    custom: ({ operands, options }, { scope }) =>
      [...operands, ...options.flatMap(({ name, value }) => (name === 'i' && value !== null ? [value] : []))].flatMap((word) =>
        /^[\w.+-]+:/.test(word.start) || word.value === null ? [effect('network', word.text)] : usePath(word, 'content', scope),
      ),
  },
  ffmpeg: {
    single: true,
    options: `version formats codecs decoders encoders filters pix_fmts protocols hwaccels hide_banner buildconf muxers demuxers bsfs
      layouts devices`,
    custom: ({ operands }) => (operands.length === 0 ? [] : [effect('changes', 'a film')]),
  },
  identify: {
    single: true,
    options: 'verbose format= ping quiet version list=',
    custom: ({ operands }, { scope }) =>
      operands.flatMap((word) =>
        /^[A-Za-z]+:|^@|\.(mvg|msl|svgz?|e?ps|pdf|ai|url)$/i.test(word.start)
          ? [effect('runs', word.text)]
          : usePath(word, 'content', scope),
      ),
  },
  exiftool: {
    custom: (_, { words, scope }) =>
      words.flatMap((word) => {
        if (/^-[A-Za-z][\w:]*$/.test(word.value ?? '') && !MORE_THAN_A_TAG.test(word.value ?? '')) return [];
        return /^[-+@]/.test(word.start) || word.value === null
          ? [effect('changes', `${word.text} of exiftool`)]
          : usePath(word, 'content', scope);
      }),
    any: true,
  },
  mediainfo: {
    custom: (_, { words, scope }) =>
      words.flatMap((word) =>
        /^--(LogFile|Config)|=file:/i.test(word.start)
          ? [effect('changes', word.text)]
          : /^\w+:\/\//.test(word.start)
            ? [effect('network', word.text)]
            : usePath(word, 'content', scope),
      ),
    any: true,
  },
  'pdfinfo pdffonts pdfimages': {
    any: true,
    custom: ({ options, operands }, { name, scope }) =>
      name === 'pdfimages' && !hasOption({ options }, 'l list')
        ? [effect('changes', 'images of a document')]
        : operands.flatMap((word) => usePath(word, 'content', scope)),
  },
  pdftotext: {
    single: true,
    options: 'f= l= layout raw nopgbrk enc= eol= q simple table bbox htmlmeta r= x= y= W= H=',
    custom: ({ operands }, { scope }) => {
      const [source, target] = operands;
      const read = source === undefined ? [] : usePath(source, 'content', scope);
      return target?.value === '-' ? read : [...read, effect('changes', 'a text beside the document')];
    },
  },
  soxi: { any: true, operands: 'content' },
  'aplay arecord': { any: true, custom: (_, { words }) => (/^-[lL]$/.test(words[0]?.value ?? '') ? [] : [effect('runs', 'sound')]) },
};

/** Editors: the user types their actions, and their options may reach a shell. */
export const EDITORS: SpecTable = {
  'ex vi vim nvim gvim rvim rview view vimdiff': {
    any: true,
    options: '-c:S:u:U:i:t:T:w:W: cmd= startuptime=',
    custom: (given, call) => classifyVim(given, call),
  },
  'emacs emacsclient': { any: true, single: true, options: 'eval= execute= e= l= load= f= funcall= batch Q q nw', custom: classifyEmacs },
  'ed red': { any: true, custom: (_, call) => [effect('runs', 'an editor'), ...classifyEscapes(call.input.text ?? '', call)] },
  'nano pico joe mcedit kak helix kate gedit micro code subl hx': { any: true, effect: 'runs' },
};

function classifyTexts(texts: readonly Argument[], call: Call): readonly Effect[] {
  return texts.flatMap(({ value, text }) =>
    value === null ? [effect('unclear', text)] : [...classifyEscapes(value, call), ...classifyStarted(value, call)],
  );
}

const WRITES = /(?:^|[|:\s])(?:w|wq|sav|saveas|up|x)!?\s+(?!!)(\S+)/;

function classifyVim({ options, operands }: Invocation, call: Call): readonly Effect[] {
  const typed = options.flatMap(({ name, value }) => ((name === 'c' || name === 'cmd') && value) || []);
  const plus = operands.flatMap((word) => (word.value?.startsWith('+') === true ? [literal(word.value.slice(1))] : []));
  const texts = [...typed, ...plus, ...(call.input.text === null ? [] : [literal(call.input.text)])];
  const written = texts.flatMap(({ value }) => {
    const path = WRITES.exec(value ?? '')?.[1];
    return path === undefined ? [] : usePath(literal(path.replace(/^~(?=\/)/, call.scope.context.home)), 'replace', call.scope);
  });
  const isScript = isGiven({ options }, 'S', 's', 'u');
  return [effect('runs', isScript ? 'a script of an editor' : 'an editor'), ...classifyTexts(texts, call), ...written];
}

function classifyEmacs({ options }: Invocation, call: Call): readonly Effect[] {
  const code = options.flatMap(({ name, value }) => (/^(eval|execute|e)$/.test(name) && value) || []);
  return [effect('runs', 'an editor'), ...classifyTexts(code, call)];
}
