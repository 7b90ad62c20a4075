/** Matches commands that run the npm package `spillway`, which is not this project's package `@spillway/cli`. */
const STRANGERS = [
  /\b(?:npx|npm exec|pnpm dlx|yarn dlx|bunx)(?: -\S*)* spillway(?![\w./:-])/g,
  /\b(?:(?:npm|pnpm) (?:install|i|add)|(?:yarn|bun) add)(?: [\w@/.^:-]+)*? spillway(?![\w./:-])/g,
  // Commands in arrays of JSON, TOML, and code, or with each word quoted in a text.
  /(["'`])(?:npx|-y|--yes)\1,\s*\1spillway\1/g,
]

/** List the commands in a text that would download the package of that name. */
export function fetchesStranger(text: string): string[] {
  return STRANGERS.flatMap((pattern) => [...text.matchAll(pattern)].map(([command]) => command))
}
