import { inTurn, type Row } from '../row.ts';
import { anyText, openPrompt, openScreen } from '../screen.ts';

/** The prompt of a client: the session that it is at, and a sign. */
const PROMPT = /at [^\r\n]+ >/;

/** Joining a session that is open in another terminal: from the start to the painted prompt. */
export const attach: Row = {
  name: 'attach',
  async measure(place) {
    const owner = await openPrompt([place.aish], place.env, place.work);
    try {
      const timeTo = async (args: readonly string[], seen: (plain: string) => boolean): Promise<number> => {
        const screen = openScreen([place.aish, ...args], place.env, place.work);
        const at = await screen.until(seen, 'a prompt');
        await screen.close();
        return at - screen.startedAt;
      };
      const [values = [], plain = []] = await inTurn(15, [
        () => timeTo(['attach'], (text) => PROMPT.test(text)),
        () => timeTo([], anyText),
      ]);
      const baseline = { what: 'start to prompt', values: plain };
      return [{ what: 'attach to a painted prompt', unit: 'ms', values, baseline, atMost: 60 }];
    } finally {
      await owner.close();
    }
  },
};
