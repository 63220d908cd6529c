import { type ModelEndpoint, toEndpoint } from '../../../adapters/model/models.ts';
import { MODEL_PRESETS, movedTo } from '../../../adapters/model/presets.ts';
import { ProfileStore } from '../../../adapters/store/profile-store.ts';
import { misuse } from '../../../core/command-line/subcommand-args.ts';
import { toShownUrl } from '../../../core/model/server-fault.ts';
import { unknownModel } from '../../../core/session/messages.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import { AishError } from '../../../protocol/error.ts';
import type { StoredProfile } from '../../../protocol/stored-profile.ts';
import * as messages from '../commands/messages.ts';
import { FIRST_MODEL, formatAsking } from '../commands/messages-doctor.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import type { Setup } from '../setup/setup.ts';

/** A text to print, and the exit status. */
interface Answer {
  readonly text: string;
  readonly status: number;
}

/** Runs `aish models`: the list, what aish has learned about a server, and its examination. */
export async function runModels(args: readonly string[], setup: Setup): Promise<Answer> {
  const [action, name, ...rest] = args;
  if (action === 'add') return { text: await (await import('./models-add.ts')).runModelsAdd(args, setup), status: 0 };
  if (action !== 'doctor' || rest.length > 0) return { text: await show(args, setup), status: 0 };
  const { runModelDoctor } = await import('../commands/doctor-command.ts');
  const wanted = name ?? setup.settings.model;
  PROCESS_OUTPUT.error(`aish: ${formatAsking(wanted ?? FIRST_MODEL)}\n`);
  const { text, hasAnswered } = await runModelDoctor(wanted, setup, new AbortController().signal);
  return { text, status: hasAnswered ? 0 : 1 };
}

async function show([action = 'list', name, ...rest]: readonly string[], setup: Setup): Promise<string> {
  if (action === 'list' && name === undefined) {
    return (await import('../commands/models-command.ts')).showModels(setup, setup.settings.model);
  }
  if (name === undefined || rest.length > 0 || (action !== 'show' && action !== 'forget')) throw misuse('models');
  const store = new ProfileStore(setup.paths.state);
  const { baseUrl, model } = findEndpoint(name, setup);
  const known = store.ofServer(baseUrl, model);
  if (known.length === 0) return messages.formatNoProfile(name);
  if (action === 'show') return formatProfiles(name, baseUrl, known);
  for (const [one] of known) store.forget(baseUrl, one);
  return messages.formatForgotten(name);
}

/** The address of a configured model, of a provider's, or of a place where aish looks. No key is needed. */
function findEndpoint(name: string, { loaded, env }: Setup): Pick<ModelEndpoint, 'baseUrl' | 'model'> {
  const { models } = loaded.config;
  const configured = Object.hasOwn(models, name) ? models[name] : undefined;
  if (configured !== undefined) return toEndpoint(name, configured, null);
  const [place = '', ...model] = name.split(':');
  const preset = MODEL_PRESETS.find((one) => one.name === place);
  if (preset !== undefined) {
    const { baseUrl } = toEndpoint(name, { base_url: movedTo(preset, env) ?? preset.baseUrl }, null);
    return { baseUrl, model: model.length === 0 ? null : model.join(':') };
  }
  const { code, message, ...hint } = unknownModel(name, Object.keys(models), { isAddable: true });
  throw new AishError(code, message, hint);
}

function formatProfiles(
  name: string,
  baseUrl: string,
  known: readonly (readonly [model: string, stored: StoredProfile])[],
): string {
  const blocks = known.map(([model, { notes }]) => {
    const lines = notes.map(({ at, text, said }) => messages.formatProfileNote(text, sanitizeLine(said), toDay(at)));
    return [`${sanitizeLine(model)} (${toShownUrl(baseUrl)})`, ...lines].join('\n');
  });
  return [...blocks, messages.formatForgetHint(name)].join('\n');
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
