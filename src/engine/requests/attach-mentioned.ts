import type { Environment } from '../../adapters/config/paths.ts';
import type { Attachments, AttachOptions } from '../../adapters/files/attach-files.ts';
import { parseAddressed } from '../../core/session/settings.ts';
import type { Config } from '../../protocol/config.ts';
import type { Settings } from '../../protocol/settings.ts';

interface AttachmentContext extends Pick<AttachOptions, 'cwd' | 'servers' | 'signal'> {
  readonly config: Config;
  readonly env: Environment;
  readonly settings: Settings;
}

const NOTHING: Attachments = { files: [], lines: [], images: [] };

/** Reads the files that a message mentions with `@`, as far as its model takes them; throws where one is meant and cannot go along. */
export async function attachMentioned(text: string, context: AttachmentContext): Promise<Attachments> {
  if (!text.includes('@')) return NOTHING;
  const { attachFiles, attachmentBudget } = await import('../../adapters/files/attach-files.ts');
  const { config, env, settings, cwd, servers, signal } = context;
  const name = parseAddressed(text, Object.keys(config.models))?.model ?? settings.model;
  const model = name === null ? Object.values(config.models)[0] : config.models[name];
  const images = model?.images === true || (await import('../../adapters/model/presets.ts')).takesImages(name, env);
  const budget = attachmentBudget(model?.context);
  return attachFiles(text, { cwd, home: env.HOME ?? '/', images, budget, servers, signal });
}
