import { expect, it } from 'vitest'
import { namedKind } from './element-marks.ts'

it.each(['site-footer', 'shareBar', 'col-3 sidebar', 'main_nav', 'cookie-notice', 'x sr-only'])(
  'the class %s marks an element outside the main content',
  (names) => {
    expect(namedKind(names).isAside).toBe(true)
  },
)

it.each(['header', 'navy', 'content', 'breadth', 'card-body', 'shared', 'advice', 'hidden-gem'])(
  'the class %s does not mark an element outside the main content',
  (names) => {
    expect(namedKind(names).isAside).toBe(false)
  },
)

it('class names of articles mark the main content', () => {
  expect(['entry-content', 'article__body', 'post-text wide'].map((names) => namedKind(names).isArticle)).toEqual([
    true,
    true,
    true,
  ])
  expect(['content', 'articles', 'blog-posts'].map((names) => namedKind(names).isArticle)).toEqual([
    false,
    false,
    false,
  ])
})
