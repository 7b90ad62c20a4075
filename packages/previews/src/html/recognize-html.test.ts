import { describe, expect, it } from 'vitest'
import { subjectOf } from '../../test/preview-with.ts'
import { toolIntent } from '../detect/tool-intent.ts'
import { recognizeHtml } from './recognize-html.ts'

const sureness = (text: string, contentType = 'text/plain', input: unknown = {}): number =>
  recognizeHtml(subjectOf(text, { input, intent: toolIntent('tool', input), contentType }))

const fragment = '<div class="card"><h2>Title</h2><p>Some text with <a href="/x">a link</a>.</p></div>\n'.repeat(20)

describe('recognizeHtml', () => {
  it.each([
    ['a page', '<!DOCTYPE html>\n<html><body>x</body></html>'],
    ['a page without a document type', '\n\n<html lang="en"><head></head></html>'],
    ['XHTML', '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">\n<html>'],
    ['a page after a comment', '<!-- saved from url -->\n<!doctype html>'],
  ])('is sure of %s', (_, text) => {
    expect(sureness(text)).toBeGreaterThan(0.9)
    expect(sureness(text, 'text/html')).toBeGreaterThan(0.95)
  })

  it('thinks a fragment dense with tags likely, and is sure where it is declared', () => {
    expect(sureness(fragment)).toBe(0.7)
    expect(sureness(fragment, 'text/html')).toBe(0.95)
  })

  it.each([
    ['plain text declared as HTML', 'Service unavailable', 'text/html'],
    ['JSON declared as HTML', '{"a":"<p>x</p>"}', 'text/html'],
    ['XML', '<?xml version="1.0"?><rss><channel></channel></rss>', 'text/plain'],
    ['a namespace', '<svg:svg><a></a></svg:svg>', 'text/plain'],
    ['Markdown with tags', `# Title\n\n${fragment}`, 'text/plain'],
    ['a log that quotes tags', `2024-01-01 GET / <html>\n${fragment}`, 'text/plain'],
    ['one tag', '<a>b</a> and then text', 'text/plain'],
  ])('does not claim %s', (_, text, contentType) => {
    expect(sureness(text, contentType)).toBe(0)
  })

  it.each(['App.tsx', 'src/Page.vue', 'a/index.php', 'README.md', 'icon.svg'])(
    'does not claim the source of %s',
    (path) => {
      expect(sureness(fragment, 'text/plain', { path })).toBe(0)
    },
  )
})
