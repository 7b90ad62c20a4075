import { headTokens, tailTokens } from '../lib/tokens.mjs'
export const cut = (text, budget, headShare) => {
  const mark = '\n[... cut ...]\n',
    n = budget - 8
  const h = headTokens(text, Math.floor(n * headShare))
  return h.length === text.length ? text : h + mark + tailTokens(text, n - Math.floor(n * headShare))
}
export const preview = ({ text, budgetTokens }) => cut(text, budgetTokens, 0.5)
