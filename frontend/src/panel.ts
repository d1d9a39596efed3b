/** CAESAR's page in Home Assistant's sidebar: five tabs, one watch on what changes. */

import { css, html, LitElement, type PropertyValues } from "lit";
import type { Filter, Hass } from "./api";
import { styles } from "./styles";
import { type Text, text } from "./texts";
import "./views/house";
import "./views/policy";
import "./views/refused";
import "./views/trail";
import "./views/waiting";
import { OpenTab, type View } from "./view";

const TABS = ["waiting", "trail", "refused", "policy", "house"] as const;
type Tab = (typeof TABS)[number];

class CaesarPanel extends LitElement {
  static properties = {
    hass: { attribute: false },
    narrow: { type: Boolean },
    route: { attribute: false },
    panel: { attribute: false },
    tab: { state: true },
    line: { state: true },
    ready: { state: true },
  };
  static styles = [
    styles,
    css`
      :host {
        min-height: 100vh;
        background: var(--primary-background-color);
      }
      header {
        position: sticky;
        top: 0;
        z-index: 2;
        background: var(--app-header-background-color, var(--card-background-color));
        color: var(--app-header-text-color, var(--primary-text-color));
        border-bottom: 1px solid var(--divider-color);
      }
      .title {
        display: flex;
        align-items: center;
        height: var(--header-height, 56px);
        padding: 0 12px;
      }
      h1 {
        font-size: 1.25rem;
        font-weight: 400;
        margin: 0 8px;
      }
      [role="tablist"] {
        display: flex;
        overflow-x: auto;
      }
      [role="tab"] {
        flex: 0 0 auto;
        color: inherit;
        border: 0;
        border-bottom: 3px solid transparent;
        border-radius: 0;
        padding: 8px 16px;
      }
      [role="tab"][aria-selected="true"] {
        border-bottom-color: currentColor;
        font-weight: 600;
      }
      [role="tab"]:focus-visible {
        outline-color: currentColor;
        outline-offset: -3px;
      }
      main {
        max-width: 1000px;
        margin: 0 auto;
        padding: 16px 12px 64px;
      }
    `,
  ];

  declare hass: Hass;
  declare narrow: boolean;
  declare route: { path: string } | undefined;
  declare panel: unknown;
  declare tab: Tab;
  declare line: number | undefined;
  declare ready: boolean;
  private stop?: Promise<() => Promise<void>>;
  private wanted: Filter = {};

  constructor() {
    super();
    this.tab = "waiting";
    this.ready = false;
    this.addEventListener("open-tab", (event) => {
      const { tab, line } = (event as OpenTab).detail;
      this.open(tab as Tab, line);
    });
  }

  connectedCallback(): void {
    super.connectedCallback();
    if (this.hass) this.watch();
  }

  disconnectedCallback(): void {
    super.disconnectedCallback();
    void this.stop?.then((stop) => stop()).catch(() => undefined);
    this.stop = undefined;
  }

  firstUpdated(): void {
    this.follow();
    this.watch();
    void this.hass.loadBackendTranslation("exceptions", "caesar").finally(() => {
      this.ready = true;
    });
  }

  shouldUpdate(changed: PropertyValues): boolean {
    // Home Assistant hands over a new object with every change of any state.
    const before = changed.get("hass") as Hass | undefined;
    if (changed.size > 1 || !before) return true;
    return before.language !== this.hass.language || before.connection !== this.hass.connection;
  }

  updated(changed: PropertyValues): void {
    if (changed.has("route") && changed.get("route")) this.follow();
  }

  render() {
    if (!this.ready) return html``;
    return html`
      <header>
        <div class="title">
          <ha-menu-button .hass=${this.hass} .narrow=${this.narrow}></ha-menu-button>
          <h1>CAESAR</h1>
        </div>
        <div role="tablist" aria-label="CAESAR" @keydown=${this.moveTab}>
          ${TABS.map(
            (tab) =>
              html`<button
                role="tab"
                id="tab-${tab}"
                aria-controls="panel"
                aria-selected=${tab === this.tab}
                tabindex=${tab === this.tab ? 0 : -1}
                @click=${() => this.open(tab)}
              >
                ${text(this.hass.language, `tab_${tab}` as Text)}
              </button>`,
          )}
        </div>
      </header>
      <main id="panel" role="tabpanel" aria-labelledby="tab-${this.tab}">${this.view()}</main>
    `;
  }

  private view() {
    switch (this.tab) {
      case "waiting":
        return html`<caesar-waiting .hass=${this.hass}></caesar-waiting>`;
      case "trail":
        return html`<caesar-trail .hass=${this.hass} .filter=${this.wanted}></caesar-trail>`;
      case "refused":
        return html`<caesar-refused .hass=${this.hass}></caesar-refused>`;
      case "policy":
        return html`<caesar-policy .hass=${this.hass} .line=${this.line}></caesar-policy>`;
      case "house":
        return html`<caesar-house .hass=${this.hass}></caesar-house>`;
    }
  }

  /** Opens what the address says: /caesar/trail, or /caesar/trail/DECISION. */
  private follow(): void {
    const [, tab, decision] = (this.route?.path ?? "").split("/");
    this.wanted = decision ? { decision_id: decodeURIComponent(decision) } : {};
    if (TABS.includes(tab as Tab)) this.tab = tab as Tab;
  }

  private open(tab: Tab, line?: number): void {
    this.line = line;
    this.wanted = {};
    this.tab = tab;
    history.replaceState(null, "", `/caesar/${tab}`);
  }

  private moveTab(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (TABS.indexOf(this.tab) + step + TABS.length) % TABS.length;
    const tab = TABS[at] ?? "waiting";
    this.open(tab);
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(`#tab-${tab}`)?.focus(),
    );
  }

  private watch(): void {
    if (this.stop) return;
    this.stop = this.hass.connection.subscribeMessage<{ changed: "waiting" | "trail" }>(
      (event) =>
        this.renderRoot.querySelector<View>("main > *")?.changed(event.changed),
      { type: "caesar/watch" },
    );
    // A house that isn't loaded says so in each tab.
    this.stop.catch(() => {
      this.stop = undefined;
    });
  }
}

customElements.define("caesar-panel", CaesarPanel);
