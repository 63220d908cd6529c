/** The texts around the scenes of the demo; `screen.prose` wraps the lines. */
export const formatIntroduction = (modelUrl: string, repository: string): readonly string[] => [
  'aish demo: the model here is SCRIPTED, and nothing leaves this machine.',
  '',
  'The model answers from a script inside this process, at',
  `  ${modelUrl}`,
  'Everything else is real: your shell, the session, the approval prompt, the checkpoint, the write and the undo. The demo runs in',
  `  ${repository}`,
  'and deletes this folder at the end. It does not touch your configuration or your sessions.',
];

export const formatRunIntroduction = (modelUrl: string, repository: string): readonly string[] => [
  'aish demo --norris: the model here is SCRIPTED, and nothing leaves this machine.',
  '',
  'The model answers from a script inside this process, at',
  `  ${modelUrl}`,
  'Everything else is real: the contract, the check in the sandbox, the fences, the checkpoint, the receipt and the undo. The demo runs in',
  `  ${repository}`,
  'and deletes this folder at the end. It does not touch your configuration or your sessions.',
];

export const SCENE_RUN = '1. Let the model work alone until the check passes';
export const SCENE_RECEIPT = '2. Read the receipt';
export const SCENE_UNDO_RUN = '3. Undo the run';
export const CONTRACT_LINE = ":norris 'make the total right' until 'sh check/total.sh' within 5 steps only shop";
export const RUN_APPROVED = '  yes (the demo answers by itself)';
export const RUN_CONCLUSION =
  'Start `aish` in a repository and type `:norris` with a goal and a check of yours. aish shows the contract first, and the run begins only if you type yes. `:help norris` has the details.';

export const SCENE_QUESTION = '1. Run a command and ask about its output';
export const SCENE_CHANGE = '2. Let the model change a file';
export const SCENE_UNDO = '3. Undo the change';

export const YOUR_TURN = 'Your turn: press y to allow the write, or n to refuse it.';
export const formatDemoAnswer = (why: string): string => `  yes (the demo answers by itself: ${why})`;
export const NO_TERMINAL = 'there is no terminal to ask at';
export const formatDemoCheckpoint = (id: string, ref: string): string =>
  `  checkpoint ${id}: aish saved the files as they are now in ${ref}`;
export const NOTHING_TO_UNDO = 'Nothing was written, so there is nothing to undo.';

export const CONCLUSION_HEADING = 'That was the demo.';
export const CONCLUSION =
  'Start `aish` for the prompt. It runs commands in your own shell. Begin a line with `?` to send it to the model. Type `:help` to list the rest. For a real model, start a local server (llama.cpp, Ollama, LM Studio) or export OPENAI_API_KEY.';

/** Errors. */
export const NO_GIT = 'aish demo needs git to show an undo, and git is not installed';
export const NO_GIT_HINT = 'install git';
export const formatNoRepository = (folder: string, error: string): string =>
  `git cannot create a repository in ${folder}: ${error}`;
export const NO_REPOSITORY_HINT = 'make the temporary directory (TMPDIR) writable';

/** The lines of the scripted model. */
export const QUESTION = 'Which of these files is the longest?';
export const formatChangeRequest = (file: string): string => `Add "ship the release" to ${file}.`;
export const NO_OUTPUT = 'I see no command output in this request.';
export const formatLongest = (file: string, lines: string): string =>
  `**${file}** is the longest, with ${lines} lines. I read that in the output of your \`wc\`; I did not run anything.`;
export const NOT_WRITTEN = 'All right: I wrote nothing.';
export const formatWritten = (file: string): string => `Done: \`${file}\` ends with a new task, **ship the release**.`;
export const formatMended = (file: string): string => `\`${file}\` adds the prices now instead of subtracting them.`;
