import { WindowCache } from '../../adapters/store/window-cache.ts';
import { modelFor } from '../../core/settings.ts';
import type { Config } from '../../protocol/config.ts';
import type { Session } from '../session.ts';
import { type ContextHands, isNews } from './watch-context.ts';
import { WindowBook } from './window-book.ts';

/** What is known of the configured models' windows, and what earlier processes learned. */
export function openWindowBook(config: Config, cacheFolder: string): WindowBook {
  return new WindowBook({ configured: (name) => config.models[name], store: new WindowCache(cacheFolder) });
}

/** What looks after the context of one session. */
export function createContextHands(config: Config, windows: WindowBook, session: () => Session): ContextHands {
  return {
    windows,
    compactAt: config.context.compact_at,
    fastModel: modelFor(config, 'fast'),
    tellWindow: (window) => {
      if (isNews(session().state, window)) session().record({ type: 'context.window', window });
    },
  };
}
