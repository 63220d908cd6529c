import type { Attachments } from '../../../adapters/files/attach-files.ts';
import { parseAddressed } from '../../../core/session/settings.ts';
import type { ModelConfig } from '../../../protocol/config.ts';
import type { Settings } from '../../../protocol/settings.ts';
import type { Setup } from '../setup/setup.ts';

interface AttachmentContext {
  readonly setup: Setup;
  readonly settings: Settings;
  /** Directory of the shell. */
  readonly cwd: string;
}

const NOTHING: Attachments = { files: [], lines: [], images: [] };

/** Reads the files that a message mentions with `@`, as far as its model takes them; throws where one is meant and cannot go along. */
export async function attachMentioned(text: string, { setup, settings, cwd }: AttachmentContext): Promise<Attachments> {
  if (!text.includes('@')) return NOTHING;
  const { attachFiles, attachmentBudget } = await import('../../../adapters/files/attach-files.ts');
  const addressed = parseAddressed(text, Object.keys(setup.loaded.config.models));
  const name = addressed?.model ?? settings.model;
  const model = modelOf(setup.loaded.config.models, name);
  return attachFiles(text, {
    cwd,
    home: setup.env.HOME ?? '/',
    images: model?.images === true || (await import('../../../adapters/model/presets.ts')).takesImages(name, setup.env),
    budget: attachmentBudget(model?.context),
  });
}

function modelOf(models: Readonly<Record<string, ModelConfig>>, name: string | null): ModelConfig | undefined {
  return name === null ? Object.values(models)[0] : models[name];
}
