/** What all tabs share: Home Assistant, words, failures, and reading anew. */

import { LitElement } from "lit";
import { type Hass, problem } from "./api";
import { type Text, text } from "./texts";

export abstract class View extends LitElement {
  static properties = { hass: { attribute: false }, failure: { state: true } };

  declare hass: Hass;
  declare failure: string;

  constructor() {
    super();
    this.failure = "";
  }

  /** Reads what is shown. */
  abstract load(): Promise<void>;

  /** Hears that something waits, was answered or was done. */
  changed(_what: "waiting" | "trail"): void {}

  firstUpdated(): void {
    void this.attempt(() => this.load());
  }

  /** Returns a text of the page in the reader's language. */
  protected say(key: Text, values?: Record<string, string | number>): string {
    return text(this.hass.language, key, values);
  }

  /** Does something; what goes wrong is shown, and nothing of the page is lost. */
  protected async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.failure = "";
      return result;
    } catch (error) {
      this.failure = problem(this.hass, error);
      return undefined;
    }
  }
}

/** Tells the page to open another tab; `line` is one of the policy, from 1. */
export class OpenTab extends CustomEvent<{ tab: string; line?: number }> {
  constructor(tab: string, line?: number) {
    super("open-tab", { detail: { tab, line }, bubbles: true, composed: true });
  }
}
