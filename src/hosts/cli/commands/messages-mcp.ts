/** Texts of the commands about MCP servers. */

export const NO_RESOURCES = 'The server has no resources.';
export const NO_PROMPTS = 'The server has no prompts.';
export const NO_LOG = 'The server has logged nothing in this session.';
export const formatRefreshed = (alias: string): string => `aish read the lists of ${alias} again.`;
export const formatLoggedIn = (alias: string): string => `You are logged in to ${alias}.`;
export const formatLoggedOut = (alias: string): string => `aish forgot the login to ${alias}.`;
export const formatNotLoggedIn = (alias: string): string => `There is no login to ${alias}.`;
export const formatNoOpenLogin = (alias: string): string => `no login to ${alias} is open; type :mcp login ${alias}`;
export const formatLoginPage = (alias: string, url: string): string =>
  `Open this page to log in to ${alias}:\n${url}\nIf your browser runs on another machine, type :mcp login ${alias} and the address of its last page.`;
export const formatLoginStart = (alias: string, url: string): string =>
  `Open this page to log in to ${alias}:\n${url}\nIf your browser runs on another machine, paste the address of its last page here.`;
export const formatApproved = (name: string): string => `aish now trusts the definition of ${name}.`;
export const formatApproveWith = (name: string, pin: string): string =>
  `To trust the definition as it is now: aish mcp approve ${name} --pin ${pin}`;
export const formatAdded = (names: readonly string[], path: string): string =>
  `aish added ${names.length === 0 ? 'no server' : names.join(', ')} to ${path}.`;
export const formatRemovedServer = (name: string, path: string): string => `aish removed ${name} from ${path}.`;
export const formatNoForeignFile = (path: string): string => `there is no file ${path}`;
export const FOREIGN_FILE_HINT = 'name the configuration file of another program, such as ~/.claude.json';
export const ARGUMENTS_NO_JSON = 'the arguments of aish mcp call are one JSON object, such as \'{"text": "x"}\'';
export const PROMPT_OF_SERVER = 'a prompt of an MCP server';
export const formatFollowPrompt = (prompt: string): string => `Follow the prompt ${prompt}, which is attached.`;
export const formatNoPrompt = (alias: string, name: string): string => `${alias} has no prompt "${name}"`;
export const formatListsPrompts = (alias: string): string => `:mcp prompts ${alias} lists the prompts`;
export const formatMissingArgument = (prompt: string, name: string): string => `${prompt} needs the argument ${name}`;
export const formatPromptUsage = (alias: string, prompt: string, names: readonly string[]): string =>
  `type :${alias}.${prompt} ${names.map((name) => `${name}=…`).join(' ')}`;
export const HIDDEN = '(hidden)';
export const NOT_CONNECTED = 'the server did not answer in time';
export const formatNoTools = (alias: string, why: string): string => `${alias} has no tools: ${why}`;
