import type { PickEnd } from '../picker/picked.ts';
import type { SelectorReport } from '../inspect/page-selector.ts';

/** A document in a tab. Frame 0 is the page itself. */
export interface PickerPlace {
  readonly tabId: number;
  readonly frameId: number;
}

/** How picking ended, with the frame that the element is in. */
export type Pick = PickEnd & { frameId: number };

/** What the side panel asks of the worker, and what it is answered. */
export interface PickerAsks {
  pick: { ask: { tabId: number }; answer: Pick };
  selector: { ask: PickerPlace & { selector: string }; answer: SelectorReport };
  script: { ask: PickerPlace & { script: string; args: string; runner: 'main' | 'isolated' }; answer: string };
}

type AskOf<K extends keyof PickerAsks> = { id: number; kind: K } & PickerAsks[K]['ask'];

/** From the panel to the worker. Ids are the panel's own. */
export type FromPanel =
  | { [K in keyof PickerAsks]: AskOf<K> }[keyof PickerAsks]
  /** The person uses the keys while the panel has them. */
  | { kind: 'step'; to: 'parent' | 'child' }
  /** Ends what is under way in a tab, and what is drawn there. */
  | { kind: 'stop'; tabId: number };

/** From the worker to the panel that asked. */
export type ToPanel =
  | { id: number; kind: 'answer'; answer: PickerAsks[keyof PickerAsks]['answer'] }
  | { id: number; kind: 'failed'; code: string; message: string; hint: string };
