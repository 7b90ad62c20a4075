import { expect, it } from 'vitest'
import { namesAside, namesContent } from './class-words.ts'

it.each(['site-footer', 'shareBar', 'col-3 sidebar', 'main_nav', 'cookie-notice', 'x sr-only'])(
  'takes %s for what stands around the content',
  (names) => {
    expect(namesAside(names)).toBe(true)
  },
)

it.each(['header', 'navy', 'content', 'breadth', 'card-body', 'shared', 'advice', 'hidden-gem'])(
  'does not take %s for it',
  (names) => {
    expect(namesAside(names)).toBe(false)
  },
)

it('takes names of article texts for content', () => {
  expect(['entry-content', 'article__body', 'post-text wide'].map(namesContent)).toEqual([true, true, true])
  expect(['content', 'articles', 'blog-posts'].map(namesContent)).toEqual([false, false, false])
})
