/** Ways to write a command that fetches `spillway` from npm. That is the command's name; the package is `@spillway/cli`. */
const STRANGERS = [
  /\b(?:npx|npm exec|pnpm dlx|yarn dlx|bunx)(?: -\S*)* spillway(?![\w./:-])/g,
  /\b(?:(?:npm|pnpm) (?:install|i|add)|(?:yarn|bun) add)(?: [\w@/.^:-]+)*? spillway(?![\w./:-])/g,
  // In arrays of JSON, TOML and code, and word by word in prose.
  /(["'`])(?:npx|-y|--yes)\1,\s*\1spillway\1/g,
]

/** List the commands of a text that would fetch a package of this name, which does not belong to the project. */
export function fetchesStranger(text: string): string[] {
  return STRANGERS.flatMap((pattern) => [...text.matchAll(pattern)].map(([command]) => command))
}
