/** What the library calls by a name that no caller over HTTP has. */
const OF_SERVICE: readonly (readonly [string, string])[] = [
  ['the mode auto with summarize', 'the mode auto of a service with --model'],
  ['the option summarize', 'a service with --model'],
  ['Use summarize', 'Use a service with --model'],
]
const OF_REME: readonly (readonly [string, string])[] = [
  ['the mode auto', 'context_manage_mode auto'],
  ['maxToolMessageTokens', 'max_tool_message_tokens'],
  ['maxTotalTokens', 'max_total_tokens'],
  ['historyPreviewTokens', 'preview_char_length'],
  ['keepRecent', 'keep_recent_count'],
]

/** Say why a message is not smaller with what a caller over HTTP can set, by the names of the library or of ReMe. */
export const explainObstacle = (explanation: string, names: 'library' | 'reme'): string =>
  [...OF_SERVICE, ...(names === 'reme' ? OF_REME : [])].reduce(
    (said, [library, here]) => said.replaceAll(library, here),
    explanation,
  )
