import type { TextSubject } from '../previewer.ts'

/** Files whose source begins like XML, but is code. */
const CODE_PATH = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|php|erb|ejs|hbs|jinja2?|j2|twig|liquid|njk|mdx?|markdown)$/i
/** Comments and instructions before the first element. */
const PROLOG = /^(?:\s|<\?(?!xml\b)[^<>]{0,500}\?>|<!--(?:[^-]|-(?!->)){0,8000}-->){1,50}/

/** Say how sure it is that a text is a document of XML: with its declaration, or one element around all. */
export function recognizeXml({ contentType, start, end, intent }: TextSubject): number {
  if (intent.paths.some((path) => CODE_PATH.test(path))) return 0
  let text = start.charCodeAt(0) === 0xfeff ? start.slice(1) : start
  if (!/^\s{0,100}</.test(text)) return 0
  const declared = /^(?:application|text|image)\/(?:[\w.-]+\+)?xml$/.test(contentType)
  text = text.trimStart()
  const hasDeclaration = /^<\?xml\s/.test(text)
  if (hasDeclaration) text = text.slice(Math.max(0, text.indexOf('?>') + 2))
  text = text.replace(PROLOG, '')
  if (/^<!doctype\s+html|^<html[\s>]/i.test(text)) return 0
  if (/^<!DOCTYPE\s/.test(text)) return declared ? 0.96 : 0.93
  const root = /^<([A-Za-z_][\w.:-]{0,100})(?=[\s/>])/.exec(text)?.[1]
  if (hasDeclaration) return root === undefined && text.length > 200 ? 0 : declared ? 0.97 : 0.94
  if (root === undefined) return 0
  const isWhole = end === undefined || end.trimEnd().endsWith(`</${root}>`) || end.trimEnd().endsWith('/>')
  // In a document each element ends: at least a few of those that begin do so nearby.
  const tags = text.match(/<[A-Za-z_][\w.:-]{0,100}(?=[\s/>])/g)?.length ?? 0
  const ends = text.match(/<\/[A-Za-z_][\w.:-]{0,100}>|\/>/g)?.length ?? 0
  if (tags < 3 || ends < 1) return declared ? 0.7 : 0
  if (declared) return 0.95
  const hasNamespace = /^<[^<>]{0,4000}\sxmlns(?::\w{1,40})?=/.test(text)
  if (!isWhole) return hasNamespace ? 0.7 : 0
  return hasNamespace || ends * 3 >= tags ? 0.85 : 0
}
