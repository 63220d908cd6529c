import type { describeContractEvent } from '../../../core/contract/contract-lines.ts';
import type { ContractEvent } from '../../../protocol/event.ts';
import type { Style } from './theme.ts';

/** Shows the events of autonomous runs. The module for their lines loads with the first event: few prompts need it. */
export class ContractView {
  readonly #print: (style: Style, line: string) => void;
  #describe: typeof describeContractEvent | null = null;
  /** The lines so far, so that later ones come after them. */
  #loading: Promise<void> = Promise.resolve();

  constructor(print: (style: Style, line: string) => void) {
    this.#print = print;
  }

  show(event: ContractEvent): void {
    if (this.#describe !== null) this.#show(event, this.#describe);
    else
      this.#loading = this.#loading.then(async () => {
        const { describeContractEvent } = await import('../../../core/contract/contract-lines.ts');
        this.#describe = describeContractEvent;
        this.#show(event, describeContractEvent);
      });
  }

  #show(event: ContractEvent, describe: typeof describeContractEvent): void {
    const lines = describe(event);
    // The user who began the run has just read the rest of its contract.
    const shown = event.type === 'contract.started' ? lines.slice(0, 1) : lines;
    for (const line of shown) this.#print(styleOf(event), `  ${line}`);
  }
}

function styleOf(event: ContractEvent): Style {
  if (event.type === 'contract.fenced') return 'warning';
  if (event.type !== 'contract.ended') return 'dim';
  return event.reason === 'achieved' || event.reason === 'already-achieved' ? 'bold' : 'warning';
}
