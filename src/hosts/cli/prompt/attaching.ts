import type { Attachments, AttachOptions } from '../../../adapters/files/attach-files.ts';
import { parseAddressed } from '../../../core/session/settings.ts';
import type { Settings } from '../../../protocol/settings.ts';
import type { Setup } from '../setup/setup.ts';

interface AttachmentContext extends Pick<AttachOptions, 'cwd' | 'servers'> {
  readonly setup: Setup;
  readonly settings: Settings;
}

const NOTHING: Attachments = { files: [], lines: [], images: [] };

/** Reads the files that a message mentions with `@`, as far as its model takes them; throws where one is meant and cannot go along. */
export async function attachMentioned(
  text: string,
  { setup, settings, cwd, servers }: AttachmentContext,
): Promise<Attachments> {
  if (!text.includes('@')) return NOTHING;
  const { attachFiles, attachmentBudget } = await import('../../../adapters/files/attach-files.ts');
  const { models } = setup.loaded.config;
  const name = parseAddressed(text, Object.keys(models))?.model ?? settings.model;
  const model = name === null ? Object.values(models)[0] : models[name];
  return attachFiles(text, {
    cwd,
    home: setup.env.HOME ?? '/',
    images: model?.images === true || (await import('../../../adapters/model/presets.ts')).takesImages(name, setup.env),
    budget: attachmentBudget(model?.context),
    servers,
  });
}
