// The real truncateTail. Setting: maxBytes.
import { peer } from '../lib/peers.mjs'
const { truncateTail } = await peer('./node_modules/@mariozechner/pi-coding-agent/dist/core/tools/truncate.js')

export const sized = true
export const preview = ({ text, budgetTokens, chars = budgetTokens * 4 }) =>
  truncateTail(text, { maxBytes: Math.floor(chars) }).content
