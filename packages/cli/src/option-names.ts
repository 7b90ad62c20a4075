/** Options and parameters as the library names them, and as the command line does. Longer names come before their parts. */
const OPTION_NAMES: readonly (readonly [string, string])[] = [
  ['maxToolMessageTokens', '--max-tool-message-tokens'],
  ['maxRetrievalTokens', '--max-retrieval-tokens'],
  ['maxResultTokens', '--max-tokens'],
  ['maxTotalTokens', '--max-total-tokens'],
  ['historyPreviewTokens', '--preview-tokens'],
  ['previewTokens', '--preview-tokens'],
  ['keepRecent', '--keep-recent'],
  ['compactRatioThreshold', '--ratio'],
  ['groupTokens', '--group-tokens'],
  ['the option summarize', '--model'],
  ['with summarize', 'with --model'],
  ['Use summarize', 'Use --model'],
  ['line_range.start', '--lines'],
  ['line_range.end', '--lines'],
  ['line_range', '--lines'],
  ['context_lines', '--context'],
  ['json_path', '--json-path'],
  ['ignore_case', '--ignore-case'],
  ['count_only', '--count'],
  ['from_end', '--from-end'],
]

/** Options of storages, as messages of failures name them, and what they are in the URL of a store. */
const STORE_OPTIONS: readonly (readonly [string, string])[] = [
  ['the option "directory"', '--store or SPILLWAY_STORE'],
  ['the option "bucket"', '--store or SPILLWAY_STORE'],
  ['the options "region" and "bucket"', 'the region and the bucket of the store'],
  ['the option "region"', 'the parameter region of the store'],
  ['the option "endpoint"', 'the parameter endpoint of the store'],
  ['the option "conditionalPut"', 'the parameter conditional-put of the store'],
]

/** Parameters that are words of prose as well, where a message says which of them go together. */
const PARAMETER =
  /(?<=^|and |[Ww]ith )(pattern|query|columns|where|skip|limit)(?=(?: and [-\w]+)* cannot be used|(?:\.|:)(?:$| Without))/g

/** Write a message of the library with the names that options have on the command line. */
export const inOptionNames = (message: string): string => replaced(message, OPTION_NAMES).replaceAll(PARAMETER, '--$1')

/** Write the message of a storage's failure with what the command line has in the place of the storage's options. */
export const inStoreOptions = (message: string): string => replaced(message, STORE_OPTIONS)

const replaced = (message: string, names: readonly (readonly [string, string])[]): string =>
  names.reduce((said, [library, commandLine]) => said.replaceAll(library, commandLine), message)
