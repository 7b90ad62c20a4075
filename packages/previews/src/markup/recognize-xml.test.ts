import { describe, expect, it } from 'vitest'
import { subjectOf } from '../../test/preview-with.ts'
import { toolIntent } from '../detect/tool-intent.ts'
import { recognizeXml } from './recognize-xml.ts'

const sureness = (text: string, contentType = 'text/plain', input: unknown = {}): number =>
  recognizeXml(subjectOf(text, { input, intent: toolIntent('tool', input), contentType }))

describe('recognizeXml', () => {
  it.each([
    ['a declaration', '<?xml version="1.0" encoding="UTF-8"?>\n<a><b/></a>'],
    ['a declaration after a byte order mark', '\ufeff<?xml version="1.0"?><a><b/></a>'],
    ['a document type', '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "x">\n<plist></plist>'],
  ])('is sure of %s', (_, text) => {
    expect(sureness(text)).toBeGreaterThan(0.9)
    expect(sureness(text, 'application/rss+xml')).toBeGreaterThan(0.95)
  })

  it('thinks one element around all likely', () => {
    const suite = `<testsuites>\n${'<testcase name="a"></testcase>\n'.repeat(9)}</testsuites>\n`
    expect(sureness(suite)).toBe(0.85)
    expect(sureness(suite.replace('</testsuites>', ''))).toBe(0)
    expect(sureness(suite, 'application/xml')).toBe(0.95)
  })

  it.each([
    ['HTML', '<!doctype html><html></html>'],
    ['XHTML', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y"><html></html>'],
    ['text declared as XML', 'no markup'],
    ['a log of tags', '<a> started\n<b> started\n<c> ended'],
    ['generic types', '<T extends Foo>(value: T) => value'],
  ])('does not claim %s', (_, text) => {
    expect(sureness(text)).toBe(0)
    expect(sureness(text, 'application/xml')).toBeLessThan(0.9)
  })

  it('does not claim code', () => {
    expect(sureness('<?xml version="1.0"?><a><b/></a>', 'text/plain', { file_path: 'view.php' })).toBe(0)
  })

  it('comes to an end with hostile beginnings', () => {
    for (const part of ['<!--', '<!---', '<?a ', '<a ']) expect(sureness(part.repeat(200_000))).toBeLessThan(0.9)
  })
})
