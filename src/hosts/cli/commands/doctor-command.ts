import { type Diagnosis, examine } from '../../../adapters/model/doctor.ts';
import { LocalServer } from '../../../adapters/model/local-server.ts';
import type { ModelEndpoint } from '../../../adapters/model/models.ts';
import { ProfileStore } from '../../../adapters/store/profile-store.ts';
import { toShownUrl } from '../../../core/model/server-fault.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import { ModelEndpoints } from '../../../engine/requests/model-endpoints.ts';
import type { Setup } from '../setup/setup.ts';
import { formatFindings, toFindings } from './doctor-findings.ts';
import * as messages from './messages-doctor.ts';

/** A report, and whether the model answered. */
export interface DoctorReport {
  readonly text: string;
  readonly hasAnswered: boolean;
}

/** Examines a model, or the first one, and keeps what its server refuses for all later requests. */
export async function runModelDoctor(name: string | null, setup: Setup, signal: AbortSignal): Promise<DoctorReport> {
  const { env, discovery, paths } = setup;
  const { config } = setup.loaded;
  const endpoint = await new ModelEndpoints({ config, env, discovery }).find(name);
  const server = toServer(endpoint, setup);
  try {
    await server?.ensure(signal, () => {});
    const diagnosis = await examine(endpoint, signal);
    if (diagnosis.error === null) keepProfile(diagnosis, new ProfileStore(paths.state));
    return { text: formatDiagnosis(diagnosis), hasAnswered: diagnosis.error === null };
  } finally {
    server?.close();
  }
}

/** The server that aish runs for a model; it ends with the examination. */
function toServer({ name, baseUrl }: ModelEndpoint, { loaded, paths, env }: Setup): LocalServer | null {
  const { command, args = [] } = loaded.config.models[name] ?? {};
  if (command === undefined) return null;
  return new LocalServer({ name, command, args, baseUrl, log: `${paths.state}/servers/${name}.log`, env });
}

/** The new profile replaces the old one. */
function keepProfile({ endpoint: { baseUrl, model }, lessons }: Diagnosis, store: ProfileStore): void {
  store.forget(baseUrl, model ?? '');
  if (lessons.length > 0) store.keep(baseUrl, model ?? '', lessons);
}

function formatDiagnosis(diagnosis: Diagnosis): string {
  const { endpoint, error, lessons } = diagnosis;
  const { name } = endpoint;
  const title = `${sanitizeLine(name)}: ${sanitizeLine(endpoint.model ?? '?')} (${toShownUrl(endpoint.baseUrl)})`;
  const kept = lessons.length === 0 ? messages.NO_DIFFERENCES : messages.formatKept(name);
  return [title, formatFindings(toFindings(diagnosis)), ...(error === null ? [kept] : [])].join('\n');
}
