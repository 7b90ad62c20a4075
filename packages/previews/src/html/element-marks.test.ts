import { expect, it } from 'vitest'
import { namedKind } from './element-marks.ts'

it.each(['site-footer', 'shareBar', 'col-3 sidebar', 'main_nav', 'cookie-notice', 'x sr-only'])(
  '%s is recognized as outside the main content',
  (names) => {
    expect(namedKind(names).isAside).toBe(true)
  },
)

it.each(['header', 'navy', 'content', 'breadth', 'card-body', 'shared', 'advice', 'hidden-gem'])(
  '%s is not recognized as outside the main content',
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
