/** Which lines of a text are new and which are gone. */

export interface Line {
  mark: "+" | "-" | " ";
  text: string;
}

/**
 * Returns the lines that differ, with one line around them.
 *
 * What begins and ends the same is left out: a rule is one block in a long file.
 */
export function changedLines(before: string, after: string): Line[] {
  const old = before.split("\n");
  const now = after.split("\n");
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  ) {
    tail += 1;
  }
  const around = (at: number): Line[] =>
    at >= 0 && at < now.length ? [{ mark: " ", text: now[at] ?? "" }] : [];
  return [
    ...around(head - 1),
    ...old.slice(head, old.length - tail).map((line): Line => ({ mark: "-", text: line })),
    ...now.slice(head, now.length - tail).map((line): Line => ({ mark: "+", text: line })),
    ...around(now.length - tail),
  ];
}
