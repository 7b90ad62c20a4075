import { perSubject } from '@spillway/text/internal'
import type { TextSubject } from '../previewer.ts'

/** Files whose source has markup in it, but is code. */
const CODE_PATH =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|php|erb|ejs|hbs|jinja2?|j2|twig|liquid|njk|mdx?|markdown|rst|adoc|xml|xsl|xslt|svg|rss|atom|xaml|csproj|pug)$/i
/** Elements that only markup has, at the beginning of a tag. */
const BLOCK_TAG =
  /<(?:div|p|ul|ol|li|table|tr|td|h[1-6]|section|article|main|nav|header|footer|span|a|br|img|head|meta|link|body|form)(?=[\s>/])[^<>]{0,2000}>/gi

/** Say how sure it is that a text is a page of HTML, or a part of one. */
export const recognizeHtml: (subject: TextSubject) => number = perSubject(rateHtml)

function rateHtml({ contentType, start, intent }: TextSubject): number {
  if (intent.paths.some((path) => CODE_PATH.test(path))) return 0
  const text = start.charCodeAt(0) === 0xfeff ? start.slice(1) : start
  const first = text.search(/\S/)
  if (first < 0 || text[first] !== '<') return 0
  const declared = contentType === 'text/html' || contentType === 'application/xhtml+xml'
  const lead = text.slice(first, first + 4_096).replace(/^(?:<\?xml[^<>]{0,200}\?>|<!--[^]*?-->|\s)+/, '')
  if (/^<!doctype\s+html|^<html[\s>]/i.test(lead)) return declared ? 0.97 : 0.93
  if (/^<(?:\?|!doctype|!\[)/i.test(lead)) return 0
  const tags = text.match(BLOCK_TAG)?.length ?? 0
  if (declared) return tags >= 2 ? 0.95 : 0
  if (/^<\/?[a-z][\w.-]*:/i.test(lead)) return 0
  return tags >= 12 && tags * 250 > text.length ? 0.7 : 0
}
