// The real formatTruncatedToolOutput. Setting: maxChars.
import { peer } from '../lib/peers.mjs'
const { formatTruncatedToolOutput } = await peer('./node_modules/@google/gemini-cli-core/dist/src/utils/fileUtils.js')

export const sized = true
export const preview = ({ text, toolName, budgetTokens, chars = budgetTokens * 4 }) =>
  formatTruncatedToolOutput(
    text,
    `/home/user/.gemini/tmp/tool-outputs/session-1a2b3c4d/${toolName}_1a2b3c4d.txt`,
    Math.floor(chars),
  )
