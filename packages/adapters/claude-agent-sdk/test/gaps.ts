/** What Claude Code makes impossible, by the case that shows it, each with its reason. */
export const GAPS: Readonly<Record<string, string>> = {}
