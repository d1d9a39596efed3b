/** What was refused, and what would have been a yes: the narrowest rule, or sharing. */

import { css, html, nothing } from "lit";
import { ask, type Draft, type Refusal, type Unshared } from "../api";
import { changedLines } from "../diff";
import { styles } from "../styles";
import { moment, named } from "../texts";
import { View } from "../view";

/** Home Assistant's own page of what is shared. */
const SHARED = "/config/voice-assistants/expose";

class CaesarRefused extends View {
  static styles = [
    styles,
    css`
      .new {
        color: var(--primary-text-color);
        font-weight: 600;
      }
      a {
        color: inherit;
      }
    `,
  ];
  static properties = {
    ...View.properties,
    refused: { state: true },
    draft: { state: true },
    said: { state: true },
    unshared: { state: true },
    sharing: { state: true },
  };

  declare refused: Refusal[] | undefined;
  declare draft: { seq: number; draft: Draft } | undefined;
  declare said: string;
  declare unshared: Unshared[];
  declare sharing: string;

  constructor() {
    super();
    this.said = "";
    this.unshared = [];
    this.sharing = "";
  }

  async load(): Promise<void> {
    this.refused = await ask<Refusal[]>(this.hass, "refused", {
      language: this.hass.language,
    });
    this.unshared = await ask<Unshared[]>(this.hass, "unshared");
  }

  render() {
    return html`
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      <div aria-live="polite">${this.said ? html`<p class="good">${this.said}</p>` : nothing}</div>
      ${this.refused?.length === 0 && this.unshared.length === 0
        ? html`<p class="card">${this.say("refused_none")}</p>`
        : this.refused?.map((each) => this.refusal(each))}
      ${this.unshared.length === 0 ? nothing : this.notShared()}
    `;
  }

  private notShared() {
    return html`
      <h2>${this.say("share_title")}</h2>
      <p class="soft">
        ${this.say("share_why")} <a href=${SHARED}>${this.say("share_all")}</a>
      </p>
      ${this.unshared.map(
        (each) => html`
          <section class="card">
            <p class="words"><strong>${each.name}</strong></p>
            <p class="soft words">
              ${each.entity_id}${each.count > 1
                ? ` · ${this.say("refused_times", { count: each.count })}`
                : ""}
            </p>
            ${this.sharing === each.entity_id
              ? html`<p>${this.say("share_what")}</p>
                  <div class="line">
                    <button class="main" @click=${() => this.share(each)}>
                      ${this.say("share_confirm")}
                    </button>
                    <button @click=${() => (this.sharing = "")}>${this.say("cancel")}</button>
                  </div>`
              : html`<div class="line">
                  <button @click=${() => (this.sharing = each.entity_id)}>
                    ${this.say("share")}
                  </button>
                </div>`}
          </section>
        `,
      )}
    `;
  }

  private refusal(each: Refusal) {
    const open = this.draft?.seq === each.seq ? this.draft.draft : undefined;
    return html`
      <section class="card">
        <p class="words"><strong>${each.who}</strong>: ${each.action}</p>
        <p class="soft">
          ${moment(this.hass.language, each.when)}${each.count > 1
            ? ` · ${this.say("refused_times", { count: each.count })}`
            : ""}
        </p>
        <p class="words">${each.why}</p>
        ${each.note ? html`<p class="soft words">${each.note}</p>` : nothing}
        ${open ? this.proposed(each, open) : this.choices(each)}
      </section>
    `;
  }

  private choices(each: Refusal) {
    return html`
      <div class="line">
        ${each.once
          ? html`<button @click=${() => this.once(each)}>${this.say("refused_once")}</button>`
          : nothing}
        ${each.grants.map(
          (grant) =>
            html`<button @click=${() => this.propose(each, grant)}>
              ${named(this.hass.language, "grant", grant)}
            </button>`,
        )}
      </div>
    `;
  }

  private proposed(each: Refusal, draft: Draft) {
    return html`
      <p>${draft.note}</p>
      <pre tabindex="0" aria-label=${this.say("refused_lines")}>${changedLines(
        draft.before,
        draft.text,
      ).map((line) =>
        line.mark === " "
          ? html`  ${line.text}\n`
          : html`<span class="new">${line.mark} ${line.text}</span>\n`,
      )}</pre>
      <div class="line">
        <button class="main" @click=${() => this.save(each, draft)}>${this.say("save")}</button>
        <button @click=${() => (this.draft = undefined)}>${this.say("cancel")}</button>
      </div>
    `;
  }

  private async propose(each: Refusal, grant: string): Promise<void> {
    this.said = "";
    const draft = await this.attempt(() =>
      ask<Draft>(this.hass, "refused/rule", {
        seq: each.seq,
        grant,
        language: this.hass.language,
      }),
    );
    if (draft) this.draft = { seq: each.seq, draft };
  }

  private async save(each: Refusal, draft: Draft): Promise<void> {
    const saved = await this.attempt(() =>
      ask(this.hass, "policy/save", {
        text: draft.text,
        revision: draft.revision,
        denial: each.seq,
      }),
    );
    if (!saved) return;
    this.draft = undefined;
    this.said = this.say("refused_saved");
    await this.attempt(() => this.load());
  }

  private async share(each: Unshared): Promise<void> {
    const done = await this.attempt(() =>
      ask(this.hass, "unshared/share", { entity_id: each.entity_id }),
    );
    if (!done) return;
    this.sharing = "";
    this.said = this.say("share_done", { name: each.name });
    await this.attempt(() => this.load());
  }

  private async once(each: Refusal): Promise<void> {
    const done = await this.attempt(() => ask(this.hass, "refused/once", { seq: each.seq }));
    if (done) this.said = this.say("refused_once_done");
  }
}

customElements.define("caesar-refused", CaesarRefused);
