/* All texts of the command line. Each follows the prefix `aish: `, so it begins in lower case. */

export const SEE_HELP = 'see aish --help';
export const formatSeeHelp = (subcommand: string): string => `see aish ${subcommand} --help`;
export const formatNeedsValue = (option: string): string => `${option} needs a value`;
export const formatTakes = (option: string, values: string, given: string): string => `${option} takes ${values}, not ${given}`;
export const WHOLE_NUMBER = 'a whole number from 1';
export const PORT = 'a port from 0 to 65535';
export const AGE = 'an age such as 12h, 7d or 2w';
export const POSITIVE = 'a number over 0, such as 4 or 0.5';
export const formatBelongsTo = (option: string, command: string): string => `${option} belongs to aish ${command}`;
export const formatTakesNone = (option: string): string => `${option} takes no value`;
export const formatUnknownOption = (option: string): string => `unknown option ${option}`;
export const UNKNOWN_OPTION_HINT = 'see aish --help; a message that begins with a dash goes after --';
export const formatUnknownSubcommand = (word: string): string => `there is no subcommand ${word}`;
export const formatMeantSubcommand = (word: string, meant: string): string =>
  `did you mean aish ${meant}? To send the word as a message: aish -p ${word}`;
export const formatNotForShell = (option: string): string => `${option} does not work with a script or a command of a shell`;
export const NOT_FOR_SHELL_HINT = 'leave the option out; a message to the model goes after -p';
export const NO_COMMAND = '-c needs a command';
export const NO_COMMAND_HINT = "for example aish -c 'ls -l'";

/** A subcommand with words that it does not take; `forms` is what it takes. */
export const formatForms = (subcommand: string, forms: string): string => `aish ${subcommand} takes ${forms}`;
export const formatNoArgument = (subcommand: string, word: string): string => `aish ${subcommand} takes no argument "${word}"`;
