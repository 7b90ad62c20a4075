/** Names of options as the library has them, and as the command line has them. */
const OPTION_NAMES: readonly (readonly [string, string])[] = [
  ['maxToolMessageTokens', '--max-tool-message-tokens'],
  ['maxTotalTokens', '--max-total-tokens'],
  ['historyPreviewTokens', '--preview-tokens'],
  ['keepRecent', '--keep-recent'],
  ['compactRatioThreshold', '--ratio'],
  ['groupTokens', '--group-tokens'],
  ['the option summarize', '--model'],
  ['with summarize', 'with --model'],
  ['Use summarize', 'Use --model'],
]

/** Say with the options of the command line what is said with those of the library. */
export const explain = (text: string): string =>
  OPTION_NAMES.reduce((said, [library, commandLine]) => said.replaceAll(library, commandLine), text)
