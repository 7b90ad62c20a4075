import type { PageBlock } from './page-block.ts'

/** Write a block as Markdown. */
export function markdownOf({ kind, level, text }: PageBlock): string {
  switch (kind) {
    case 'heading':
      return `${'#'.repeat(level)} ${text}`
    case 'item':
      return `${'  '.repeat(Math.min(level, 6) - 1)}- ${text}`
    case 'quote':
      return `> ${text}`
    case 'code':
      return `\`\`\`\n${text}\n\`\`\``
    default:
      return text
  }
}

/** What stands between two blocks: items of a list and rows of a table follow each other, other blocks stand apart. */
export function markdownGap(before: PageBlock, after: PageBlock): string {
  return before.kind === after.kind && (after.kind === 'item' || after.kind === 'row') ? '\n' : '\n\n'
}
