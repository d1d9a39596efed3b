/** What happened: every tool call, newest first. */

import type { RangeChangedEvent } from "@lit-labs/virtualizer/events.js";
import { virtualize } from "@lit-labs/virtualizer/virtualize.js";
import { css, html, nothing, type PropertyValues } from "lit";
import { ask, type Filter, type House, type Row } from "../api";
import { styles } from "../styles";
import { moment, named } from "../texts";
import { OpenTab, View } from "../view";

const PAGE = 200;
const ORIGINS = ["chat", "voice", "automation", "ai_task", "agent"];
/** Of more new rows than that at once, the older ones are read again when scrolled to. */
const MOST_NEW = 5 * PAGE;
/** Home Assistant tells of a call before it has come to anything. */
const SETTLE_MS = 1500;
const TYPING_MS = 300;

class CaesarTrail extends View {
  static styles = [
    styles,
    css`
      .row {
        box-sizing: border-box;
        width: 100%;
        padding: 10px 16px;
        margin: 0 0 8px;
      }
      details + .link {
        padding-left: 0;
      }
      details[open] + button {
        display: none;
      }
      summary {
        cursor: pointer;
        display: flex;
        flex-wrap: wrap;
        gap: 2px 12px;
      }
      .what {
        flex: 1 1 14rem;
        min-width: 0;
        font-weight: 500;
      }
      .mark {
        border: 1px solid currentColor;
        border-radius: 10px;
        padding: 0 8px;
        font-size: 0.85rem;
        align-self: center;
      }
    `,
  ];
  static properties = {
    ...View.properties,
    filter: { attribute: false },
    rows: { state: true },
    house: { state: true },
    whole: { state: true },
  };

  declare filter: Filter;
  declare rows: Row[];
  declare house: House | undefined;
  declare whole: boolean;
  private readonly open = new Set<number>();
  private loading = false;
  private again = 0;
  private typing = 0;

  constructor() {
    super();
    this.filter = {};
    this.rows = [];
    this.whole = false;
  }

  disconnectedCallback(): void {
    super.disconnectedCallback();
    window.clearTimeout(this.again);
    window.clearTimeout(this.typing);
  }

  firstUpdated(): void {
    super.firstUpdated();
    void this.attempt(async () => {
      this.house = await ask<House>(this.hass, "house");
    });
  }

  updated(changed: PropertyValues): void {
    if (changed.has("filter") && changed.get("filter") !== undefined) {
      void this.attempt(() => this.load());
    }
  }

  async load(): Promise<void> {
    const rows = await this.page({});
    if (!rows) return;
    this.rows = rows;
    this.whole = rows.length < PAGE;
  }

  /** Reads the newest rows again: what was running may have ended. */
  changed(what: "waiting" | "trail"): void {
    if (what !== "trail") return;
    const look = () =>
      void this.attempt(async () => {
        const newest = await this.page({});
        if (newest) await this.join(newest);
      });
    window.clearTimeout(this.again);
    look();
    this.again = window.setTimeout(look, SETTLE_MS);
  }

  /** Puts the newest rows before those that are shown, with whatever lies between. */
  private async join(newest: Row[]): Promise<void> {
    const filter = this.filter;
    const known = this.rows[0]?.seq ?? Infinity;
    let whole = newest.length < PAGE;
    while (!whole && (newest.at(-1)?.seq ?? 0) > known && newest.length < MOST_NEW) {
      const between = await this.page({ before: newest.at(-1)?.seq });
      if (!between) return;
      newest = [...newest, ...between];
      whole = between.length < PAGE;
    }
    if (filter !== this.filter) return;
    const last = newest.at(-1)?.seq ?? 0;
    if (!whole && last > known) {
      this.rows = newest;
      this.whole = false;
      return;
    }
    this.rows = [...newest, ...this.rows.filter((row) => row.seq < last)];
  }

  /** Reads a page; nothing if another filter was chosen before it came. */
  private async page(more: object): Promise<Row[] | undefined> {
    const filter = this.filter;
    const rows = await ask<Row[]>(this.hass, "trail", {
      language: this.hass.language,
      limit: PAGE,
      ...filter,
      ...more,
    });
    return filter === this.filter ? rows : undefined;
  }

  private async more(): Promise<void> {
    const last = this.rows.at(-1);
    if (this.loading || this.whole || !last) return;
    this.loading = true;
    const older = await this.attempt(() => this.page({ before: last.seq }));
    this.loading = false;
    // The rows may have been read anew meanwhile; then these belong elsewhere.
    if (!older || this.rows.at(-1)?.seq !== last.seq) return;
    this.rows = [...this.rows, ...older];
    this.whole = older.length < PAGE;
  }

  render() {
    return html`
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      <div class="card line">
        <label class="grow"
          >${this.say("filter_who")}
          <select @change=${this.choosePerson}>
            <option value="">${this.say("filter_all")}</option>
            ${this.house?.people.map(
              (each) => html`<option value="user:${each.user_id}">${each.name}</option>`,
            )}
            ${ORIGINS.filter((each) => each !== "chat").map(
              (each) =>
                html`<option value="origin:${each}">
                  ${named(this.hass.language, "origin", each)}
                </option>`,
            )}
          </select>
        </label>
        <label class="grow"
          >${this.say("filter_tool")}
          <input type="search" placeholder="lock" @input=${this.typeTool} />
        </label>
        <label class="tick"
          ><input
            type="checkbox"
            .checked=${this.filter.refused ?? false}
            @change=${this.tickRefused}
          />${this.say("filter_refused")}</label
        >
      </div>
      <div role="region" aria-label=${this.say("tab_trail")} @rangeChanged=${this.scrolled}>
        ${virtualize({
          items: this.rows,
          keyFunction: (row) => row.seq,
          renderItem: (row) => this.row(row),
        })}
      </div>
      ${this.rows.length === 0 ? html`<p class="card">${this.say("trail_none")}</p>` : nothing}
    `;
  }

  private row(row: Row) {
    const entities = row.entities.join(", ");
    return html`
      <div class="card row">
      <details
        ?open=${this.open.has(row.seq)}
        @toggle=${(event: Event) => this.toggled(row, event)}
      >
        <summary>
          <span class="soft">${moment(this.hass.language, row.when)}</span>
          <span class="what words">${row.action || row.tool}</span>
          <span class="soft words">${row.who}</span>
          <span class="mark">${this.outcome(row)}</span>
        </summary>
        <dl>
          <dt>${this.say("row_tool")}</dt>
          <dd>${row.tool}</dd>
          <dt>${this.say("row_arguments")}</dt>
          <dd><pre>${row.arguments || "–"}</pre></dd>
          <dt>${this.say("row_touched")}</dt>
          <dd>${row.touched.join(", ") || entities || "–"}</dd>
          <dt>${this.say("row_why")}</dt>
          <dd>${row.why || "–"}</dd>
          <dt>${this.say("row_rule")}</dt>
          <dd>${this.rule(row)}</dd>
          ${row.approved_by
            ? html`<dt>${this.say("row_approved_by")}</dt>
                <dd>${row.approved_by}</dd>`
            : nothing}
          <dt>${this.say("row_agent")}</dt>
          <dd>${row.agent || "–"}${row.worker ? ` · ${row.worker}` : ""}</dd>
          <dt>${this.say("row_number")}</dt>
          <dd>${row.seq} · ${row.decision_id}</dd>
        </dl>
      </details>
      ${row.line_now ? this.rule(row) : nothing}
      </div>
    `;
  }

  /** Remembers what is open: a row out of sight is no part of the page. */
  private toggled(row: Row, event: Event): void {
    if ((event.target as HTMLDetailsElement).open) this.open.add(row.seq);
    else this.open.delete(row.seq);
  }

  private rule(row: Row) {
    if (!row.rule) return this.say("row_no_rule");
    if (row.line === null) return row.rule;
    const line = row.line;
    if (!row.line_now) return this.say("row_rule_then", { rule: row.rule, line });
    return html`<button
      class="link"
      @click=${() => this.dispatchEvent(new OpenTab("policy", line))}
    >
      ${this.say("row_rule_line", { rule: row.rule, line })}
    </button>`;
  }

  private outcome(row: Row): string {
    if (row.verdict !== "go") return named(this.hass.language, "verdict", row.verdict);
    const known = named(this.hass.language, "result", row.result);
    // What has no words is the code of an error.
    return known === row.result ? `${this.say("result_error")} (${row.result})` : known;
  }

  private scrolled(event: RangeChangedEvent): void {
    if (event.last > this.rows.length - PAGE / 2) void this.more();
  }

  private choosePerson(event: Event): void {
    const [kind, value] = (event.target as HTMLSelectElement).value.split(/:(.*)/s);
    const { user_id: _user, origin: _origin, ...rest } = this.filter;
    if (kind === "user") this.filter = { ...rest, user_id: value };
    else if (kind === "origin") this.filter = { ...rest, origin: value };
    else this.filter = rest;
  }

  private typeTool(event: Event): void {
    const tool = (event.target as HTMLInputElement).value.trim().toLowerCase();
    window.clearTimeout(this.typing);
    this.typing = window.setTimeout(() => {
      const { tool: _tool, ...rest } = this.filter;
      this.filter = tool ? { ...rest, tool } : rest;
    }, TYPING_MS);
  }

  private tickRefused(event: Event): void {
    this.filter = { ...this.filter, refused: (event.target as HTMLInputElement).checked };
  }
}

customElements.define("caesar-trail", CaesarTrail);
