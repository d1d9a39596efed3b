/** The policy as text, with its faults at their lines; what it would decide. */

import { css, html, nothing, type PropertyValues } from "lit";
import { ask, type Explanation, type House, type Policy, type Problem, type Simulation } from "../api";
import { changedLines } from "../diff";
import { styles } from "../styles";
import { named } from "../texts";
import { View } from "../view";

/** Home Assistant's own editor, of which nothing is promised to custom pages. */
interface CodeEditor extends HTMLElement {
  value: string;
  codemirror?: {
    state: { doc: { lines: number; line(n: number): { from: number; to: number } } };
    contentDOM: HTMLElement;
    dispatch(change: object): void;
    focus(): void;
  };
}

const EDITOR = "ha-code-editor";
const EDITOR_WAIT_MS = 3000;
const CHECK_MS = 600;

class CaesarPolicy extends View {
  static styles = [
    styles,
    css`
      textarea,
      ha-code-editor {
        width: 100%;
      }
      textarea {
        min-height: 24rem;
        font-family: var(--ha-font-family-code, monospace);
      }
      .editor {
        display: block;
        max-height: 60vh;
        overflow: auto;
        margin-bottom: 12px;
        border: 1px solid var(--divider-color);
        border-radius: 6px;
      }
      .below {
        margin: 12px 0;
      }
      ul {
        padding-left: 1.2rem;
      }
    `,
  ];
  static properties = {
    ...View.properties,
    line: { attribute: false },
    policy: { state: true },
    text: { state: true },
    editor: { state: true },
    problems: { state: true },
    lints: { state: true },
    simulation: { state: true },
    explanation: { state: true },
    house: { state: true },
    said: { state: true },
  };

  declare line: number | undefined;
  declare policy: Policy | undefined;
  declare text: string;
  declare editor: boolean;
  declare problems: Problem[];
  declare lints: Problem[];
  declare simulation: Simulation | undefined;
  declare explanation: Explanation | undefined;
  declare house: House | undefined;
  declare said: string;
  private checking = 0;

  constructor() {
    super();
    this.text = "";
    this.editor = customElements.get(EDITOR) !== undefined;
    this.problems = [];
    this.lints = [];
    this.said = "";
  }

  disconnectedCallback(): void {
    super.disconnectedCallback();
    window.clearTimeout(this.checking);
  }

  async load(): Promise<void> {
    this.house ??= await ask<House>(this.hass, "house");
    this.policy = await ask<Policy>(this.hass, "policy");
    this.text = this.policy.text;
    this.simulation = undefined;
    await this.check();
    await Promise.race([
      customElements.whenDefined(EDITOR),
      new Promise((done) => window.setTimeout(done, EDITOR_WAIT_MS)),
    ]);
    this.editor = customElements.get(EDITOR) !== undefined;
    await this.updateComplete;
    const view = await this.codemirror();
    view?.contentDOM.setAttribute("aria-label", this.say("policy_text"));
    if (this.line) await this.show(this.line);
  }

  updated(changed: PropertyValues): void {
    if (changed.has("line") && this.line && this.policy) void this.show(this.line);
  }

  render() {
    const policy = this.policy;
    const same = policy?.text === this.text;
    return html`
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      <div aria-live="polite">${this.said ? html`<p class="good">${this.said}</p>` : nothing}</div>
      ${policy?.denies_all
        ? html`<p class="failure" role="alert">${this.say("policy_denies_all")}</p>`
        : policy && !policy.in_force
          ? html`<p class="failure" role="alert">${this.say("policy_not_in_force")}</p>`
          : nothing}
      ${policy ? this.editing() : nothing}
      <div aria-live="polite">
        ${this.faults(this.problems, "policy_problems", "failure")}
        ${this.faults(this.lints, "policy_lints", "soft")}
      </div>
      <div class="line">
        <button
          class="main"
          ?disabled=${same || this.problems.length > 0}
          @click=${() => this.save()}
        >
          ${this.say("save")}
        </button>
        <button ?disabled=${same} @click=${() => this.attempt(() => this.load())}>
          ${this.say("policy_drop")}
        </button>
        <button ?disabled=${this.problems.length > 0} @click=${() => this.simulate()}>
          ${this.say("policy_simulate")}
        </button>
        <button ?disabled=${!policy?.can_undo || !same} @click=${() => this.undo()}>
          ${this.say("policy_undo")}
        </button>
      </div>
      ${same || !policy ? nothing : this.changes(policy)}
      ${this.simulation ? this.simulated(this.simulation) : nothing} ${this.explaining()}
    `;
  }

  private editing() {
    return this.editor
      ? html`<ha-code-editor
          class="editor"
          mode="yaml"
          autocomplete-entities
          .hass=${this.hass}
          .value=${this.text}
          @value-changed=${(event: CustomEvent<{ value: string }>) => {
            event.stopPropagation();
            this.typed(event.detail.value);
          }}
        ></ha-code-editor>`
      : html`<label
          >${this.say("policy_text")}<textarea
            spellcheck="false"
            .value=${this.text}
            @input=${(event: Event) => this.typed((event.target as HTMLTextAreaElement).value)}
          ></textarea>
        </label>`;
  }

  private changes(policy: Policy) {
    return html`<h2>${this.say("policy_changes")}</h2>
      <pre tabindex="0" aria-label=${this.say("policy_changes")}>${changedLines(
        policy.text,
        this.text,
      )
        .map((line) => `${line.mark} ${line.text}`)
        .join("\n")}</pre>`;
  }

  private faults(found: Problem[], title: "policy_problems" | "policy_lints", style: string) {
    if (found.length === 0) return nothing;
    return html`<div class=${style} role=${style === "failure" ? "alert" : nothing}>
      <strong>${this.say(title)}</strong>
      <ul>
        ${found.map(
          (each) =>
            html`<li class="words">
              <button class="link" @click=${() => this.show(each.line)}>
                ${this.say("policy_line", { line: each.line })}</button
              >: ${each.message}
              <span class="soft">${(this.text.split("\n")[each.line - 1] ?? "").trim()}</span>
            </li>`,
        )}
      </ul>
    </div>`;
  }

  private simulated(simulation: Simulation) {
    return html`<section class="card" aria-live="polite">
      <p>
        ${this.say(simulation.changed_count ? "simulated_some" : "simulated_none", {
          count: simulation.changed_count,
          calls: simulation.calls,
          days: simulation.days,
        })}
      </p>
      <ul>
        ${simulation.changed.map(
          (each) =>
            html`<li class="words">
              ${each.tool} ${each.entities.join(", ")}:
              ${named(this.hass.language, "decision", each.before)} →
              ${named(this.hass.language, "decision", each.after)}
            </li>`,
        )}
      </ul>
      ${simulation.unknown
        ? html`<p class="soft">${this.say("simulated_unknown", { count: simulation.unknown })}</p>`
        : nothing}
    </section>`;
  }

  private explaining() {
    const explained = this.explanation;
    return html`<h2>${this.say("explain_title")}</h2>
      <form class="card" @submit=${this.explain}>
        <div class="line">
          <label class="grow"
            >${this.say("explain_who")}
            <select name="who">
              ${this.house?.people.map(
                (each) =>
                  html`<option
                    value=${each.user_id}
                    ?selected=${each.user_id === this.hass.user.id}
                  >
                    ${each.name}
                  </option>`,
              )}
              <option value="">${this.say("origin_automation")}</option>
            </select>
          </label>
          <label class="grow"
            >${this.say("explain_tool")}
            <input name="tool" required maxlength="128" placeholder="lock.unlock" />
          </label>
        </div>
        <label class="below"
          >${this.say("explain_arguments")}
          <input name="arguments" placeholder='{"entity_id": "lock.front_door"}' />
        </label>
        <p><button>${this.say("explain_ask")}</button></p>
        <div aria-live="polite">
          ${explained
            ? html`<p class="words">
                  <strong>${named(this.hass.language, "decision", explained.verdict)}</strong>
                  ${explained.reason}
                </p>
                ${explained.rule
                  ? html`<p>
                      <button
                        class="link"
                        type="button"
                        @click=${() => this.show(explained.line ?? 1)}
                      >
                        ${this.say("row_rule_line", {
                          rule: explained.rule,
                          line: explained.line ?? "",
                        })}
                      </button>
                    </p>`
                  : nothing}`
            : nothing}
        </div>
      </form>`;
  }

  private typed(value: string): void {
    this.text = value;
    this.said = "";
    window.clearTimeout(this.checking);
    this.checking = window.setTimeout(() => void this.attempt(() => this.check()), CHECK_MS);
  }

  private async check(): Promise<void> {
    const text = this.text;
    const found = await ask<{ problems: Problem[]; lints: Problem[] }>(
      this.hass,
      "policy/check",
      { text },
    );
    // Answers come in any order, and somebody may have typed on.
    if (text !== this.text) return;
    this.problems = found.problems;
    this.lints = found.lints;
  }

  private async save(): Promise<void> {
    const text = this.text;
    const saved = await this.attempt(() =>
      ask(this.hass, "policy/save", { text, revision: this.policy?.revision ?? null }),
    );
    if (!saved) return;
    await this.attempt(() => this.load());
    this.said = this.say("policy_saved");
  }

  private async undo(): Promise<void> {
    if (!(await this.attempt(() => ask(this.hass, "policy/undo")))) return;
    await this.attempt(() => this.load());
    this.said = this.say("policy_undone");
  }

  private async simulate(): Promise<void> {
    this.simulation = await this.attempt(() =>
      ask<Simulation>(this.hass, "policy/simulate", { text: this.text }),
    );
  }

  private async explain(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const typed = String(given.get("arguments") ?? "").trim();
    let parsed: unknown = {};
    try {
      parsed = typed ? JSON.parse(typed) : {};
    } catch {
      parsed = null;
    }
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
      this.failure = this.say("explain_bad_arguments");
      return;
    }
    const who = String(given.get("who") ?? "");
    this.explanation = await this.attempt(() =>
      ask<Explanation>(this.hass, "explain", {
        tool: String(given.get("tool")),
        arguments: parsed,
        language: this.hass.language,
        ...(who ? { user_id: who } : {}),
      }),
    );
  }

  /** Brings a line of the text into sight, and marks it. */
  private async show(number: number): Promise<void> {
    await this.updateComplete;
    const area = this.renderRoot.querySelector("textarea");
    if (area) {
      const lines = this.text.split("\n");
      const from = lines.slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
      area.focus();
      area.setSelectionRange(from, from + (lines[number - 1]?.length ?? 0));
      return;
    }
    const view = await this.codemirror();
    if (!view || number > view.state.doc.lines) return;
    const line = view.state.doc.line(number);
    view.dispatch({ selection: { anchor: line.from, head: line.to }, scrollIntoView: true });
    view.focus();
  }

  private async codemirror(): Promise<CodeEditor["codemirror"]> {
    const editor = this.renderRoot.querySelector<CodeEditor>(EDITOR);
    for (let tries = 0; editor && !editor.codemirror && tries < 30; tries += 1) {
      await new Promise((done) => window.setTimeout(done, 100));
    }
    return editor?.codemirror;
  }
}

customElements.define("caesar-policy", CaesarPolicy);
