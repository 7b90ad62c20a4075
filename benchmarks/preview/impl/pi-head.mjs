// The real truncateHead. Setting: maxBytes.
import { peer } from '../lib/peers.mjs'
const { truncateHead } = await peer('./node_modules/@mariozechner/pi-coding-agent/dist/core/tools/truncate.js')

export const sized = true
export const preview = ({ text, budgetTokens, chars = budgetTokens * 4 }) =>
  truncateHead(text, { maxBytes: Math.floor(chars) }).content
