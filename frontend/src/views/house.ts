/** Workers and brains: who thinks, who works, and how they are. */

import { html, nothing } from "lit";
import { ask, type House } from "../api";
import { styles } from "../styles";
import { moment, named } from "../texts";
import { View } from "../view";

class CaesarHouse extends View {
  static styles = styles;
  static properties = { ...View.properties, house: { state: true } };

  declare house: House | undefined;

  async load(): Promise<void> {
    this.house = await ask<House>(this.hass, "house");
  }

  changed(): void {
    void this.attempt(() => this.load());
  }

  render() {
    return html`
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      <h2>${this.say("house_agents")}</h2>
      ${this.house?.agents.map(
        (each) =>
          html`<section class="card">
            <p class="words"><strong>${each.title}</strong></p>
            <p class="words">${each.brains
                .map((brain) => named(this.hass.language, "brain", brain))
                .join(" → ")}</p>
            ${each.used
              ? html`<p class="soft">
                  ${this.say("house_used", {
                    tokens: each.used.tokens.toLocaleString(this.hass.language),
                    calls: each.used.calls,
                  })}
                  ${each.used.cost === null
                    ? nothing
                    : this.say("house_cost", {
                        cost: each.used.cost.toLocaleString(this.hass.language, {
                          style: "currency",
                          currency: each.used.currency,
                        }),
                      })}
                </p>`
              : nothing}
          </section>`,
      )}
      <h2>${this.say("house_workers")}</h2>
      ${this.house?.workers.map((each) => this.worker(each))}
    `;
  }

  private worker(each: House["workers"][number]) {
    const lines: [string, string][] = [
      [this.say("worker_tools"), each.tools.join(", ") || "–"],
      [this.say("worker_address"), each.url || "–"],
      [this.say("worker_version"), each.version ?? "–"],
    ];
    if (each.last_seen) {
      lines.push([this.say("worker_seen"), moment(this.hass.language, each.last_seen)]);
    }
    if (each.error) lines.push([this.say("worker_error"), each.error]);
    if (each.changed.length) lines.push([this.say("worker_changed"), each.changed.join(", ")]);
    if (each.more.length) lines.push([this.say("worker_more"), each.more.join(", ")]);
    for (const [tool, why] of Object.entries(each.refused)) lines.push([tool, why]);
    return html`<section class="card">
      <p class="words">
        <strong>${each.name}</strong> ·
        ${this.say(each.online ? "worker_online" : "worker_offline")}
      </p>
      <dl>
        ${lines.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
      </dl>
      ${each.online ? nothing : html`<p class="soft">${this.say("worker_offline_help")}</p>`}
    </section>`;
  }
}

customElements.define("caesar-house", CaesarHouse);
