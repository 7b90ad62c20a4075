// Textbook BM25: words in lower case, passages of nine lines, and nothing else.
import { blocksOf, PASSAGES, type Ranker } from './ranker.ts'

const K1 = 1.2
const B = 0.75

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

export const plainBm25: Ranker = {
  name: 'plain BM25',
  async open(text) {
    const blocks = blocksOf(text).map(({ first, last, text: block }) => ({ first, last, words: wordsOf(block) }))
    const average = blocks.reduce((sum, { words }) => sum + words.length, 0) / blocks.length
    return async (question) => {
      const asked = [...new Set(wordsOf(question))]
      const counts = blocks.map(({ words }) => asked.map((word) => words.filter((other) => other === word).length))
      const weights = asked.map((_, word) => {
        const having = counts.filter((count) => (count[word] ?? 0) > 0).length
        return Math.log(1 + (blocks.length - having + 0.5) / (having + 0.5))
      })
      return blocks
        .map(({ first, last, words }, index) => {
          const score = weights.reduce((sum, weight, word) => {
            const count = counts[index]?.[word] ?? 0
            return sum + (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * words.length) / average))
          }, 0)
          return { first, last, score }
        })
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, PASSAGES)
    }
  },
}
