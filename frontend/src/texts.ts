/** The page's own words, in the languages of CAESAR. */

import de from "./texts/de.json";
import en from "./texts/en.json";

export type Text = keyof typeof en;

const LANGUAGES: Record<string, Record<Text, string>> = { de, en };

/** Returns a text with its values; "de-CH" speaks "de", the rest English. */
export function text(
  language: string,
  key: Text,
  values: Record<string, string | number> = {},
): string {
  const texts = LANGUAGES[language.split("-")[0] ?? "en"] ?? en;
  return texts[key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

/** Returns a text whose key is made of a value; the value itself if there is none. */
export function named(language: string, prefix: string, value: string): string {
  const key = `${prefix}_${value}`;
  return key in en ? text(language, key as Text) : value;
}

/** Returns a moment as the reader writes it. */
export function moment(language: string, when: string): string {
  return new Date(when).toLocaleString(language, {
    day: "2-digit",
    month: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}
