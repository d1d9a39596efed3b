/** What waits for a yes or a no. */

import { html, nothing } from "lit";
import { ask, type Waiting } from "../api";
import { styles } from "../styles";
import { moment } from "../texts";
import { View } from "../view";

class CaesarWaiting extends View {
  static styles = styles;
  static properties = { ...View.properties, waiting: { state: true }, busy: { state: true } };

  declare waiting: Waiting[] | undefined;
  declare busy: string;

  constructor() {
    super();
    this.busy = "";
  }

  async load(): Promise<void> {
    this.waiting = await ask<Waiting[]>(this.hass, "waiting", {
      language: this.hass.language,
    });
  }

  changed(): void {
    void this.attempt(() => this.load());
  }

  render() {
    return html`
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      <div aria-live="polite">
        ${this.waiting?.length === 0
          ? html`<p class="card">${this.say("waiting_none")}</p>`
          : this.waiting?.map((each) => this.question(each))}
      </div>
    `;
  }

  private question(each: Waiting) {
    return html`
      <section class="card" aria-label=${each.text}>
        <p class="words">${each.text}</p>
        <p class="soft">
          ${this.say("waiting_until", {
            since: moment(this.hass.language, each.created_at),
            until: moment(this.hass.language, each.expires_at),
          })}
        </p>
        <div class="line">
          <button
            class="main"
            ?disabled=${this.busy === each.approval_id}
            @click=${() => this.answer(each, true)}
          >
            ${this.say("yes")}
          </button>
          <button
            ?disabled=${this.busy === each.approval_id}
            @click=${() => this.answer(each, false)}
          >
            ${this.say("no")}
          </button>
        </div>
      </section>
    `;
  }

  private async answer(each: Waiting, yes: boolean): Promise<void> {
    this.busy = each.approval_id;
    await this.attempt(() =>
      ask(this.hass, "answer", { approval_id: each.approval_id, yes }),
    );
    const failure = this.failure;
    await this.attempt(() => this.load());
    this.failure = failure || this.failure;
    this.busy = "";
  }
}

customElements.define("caesar-waiting", CaesarWaiting);
