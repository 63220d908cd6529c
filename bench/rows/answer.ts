import { now } from '../clock.ts';
import { inTurn, type Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

/** From Enter to an answer on the screen, the model answering at once. */
export const answer: Row = {
  name: 'answer',
  async measure(place) {
    const screen = await openPrompt([place.aish], place.env, place.work);
    const [values = []] = await inTurn(15, [
      async () => {
        screen.write('?hello');
        await Bun.sleep(50);
        screen.forget();
        const pressedAt = now();
        screen.write('\r');
        const at = await screen.until((plain) => /answer-[\s\S]*shown/.test(plain), 'the answer');
        await Bun.sleep(100);
        return at - pressedAt;
      },
    ]);
    await screen.close();
    return [{ what: 'Enter to answer', unit: 'ms', values, atMost: 15 }];
  },
};
