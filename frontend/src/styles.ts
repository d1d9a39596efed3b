/** Home Assistant's colours and shapes, light and dark, for all tabs. */

import { css } from "lit";

export const styles = css`
  :host {
    display: block;
    color: var(--primary-text-color);
    font-size: 1rem;
    line-height: 1.45;
  }
  .card {
    background: var(--card-background-color);
    border: 1px solid var(--divider-color);
    border-radius: var(--ha-card-border-radius, 12px);
    padding: 12px 16px;
    margin: 0 0 12px;
  }
  h2 {
    font-size: 1.1rem;
    font-weight: 500;
    margin: 20px 0 8px;
  }
  p {
    margin: 4px 0;
  }
  .soft {
    color: var(--secondary-text-color);
  }
  .words {
    overflow-wrap: anywhere;
  }
  .failure {
    border-left: 4px solid var(--error-color);
    background: var(--card-background-color);
    padding: 8px 12px;
    margin: 0 0 12px;
  }
  .good {
    border-left: 4px solid var(--success-color);
    padding: 8px 12px;
    margin: 0 0 12px;
  }
  .line {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: center;
  }
  .grow {
    flex: 1 1 12rem;
    min-width: 0;
  }
  button {
    font: inherit;
    color: var(--primary-text-color);
    background: transparent;
    border: 1px solid var(--secondary-text-color);
    border-radius: 20px;
    padding: 6px 16px;
    min-height: 40px;
    cursor: pointer;
  }
  button.main {
    color: var(--card-background-color);
    background: var(--primary-text-color);
    border-color: var(--primary-text-color);
  }
  button.link {
    border: 0;
    padding: 4px;
    min-height: 0;
    text-decoration: underline;
  }
  button:disabled {
    opacity: 0.55;
    cursor: default;
  }
  button:focus-visible,
  summary:focus-visible,
  input:focus-visible,
  select:focus-visible,
  textarea:focus-visible {
    outline: 2px solid var(--primary-text-color);
    outline-offset: 2px;
  }
  label {
    display: flex;
    flex-direction: column;
    gap: 2px;
    font-size: 0.875rem;
    color: var(--secondary-text-color);
  }
  label.tick {
    flex-direction: row;
    align-items: center;
    gap: 6px;
    min-height: 40px;
  }
  input:not([type="checkbox"]),
  select,
  textarea {
    font: inherit;
    color: var(--primary-text-color);
    background: var(--card-background-color);
    border: 1px solid var(--secondary-text-color);
    border-radius: 6px;
    padding: 8px;
    min-height: 40px;
    box-sizing: border-box;
    max-width: 100%;
  }
  pre {
    margin: 8px 0;
    padding: 8px;
    overflow-x: auto;
    background: var(--secondary-background-color);
    border-radius: 6px;
    font-size: 0.85rem;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  dl {
    display: grid;
    grid-template-columns: minmax(7rem, auto) 1fr;
    gap: 4px 12px;
    margin: 8px 0;
  }
  dt {
    color: var(--secondary-text-color);
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
`;
