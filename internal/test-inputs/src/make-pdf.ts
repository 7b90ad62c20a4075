/** A text on a page: its font size in points, by default 11, and the text. */
export type PdfText = string | readonly [size: number, text: string]

const LATIN_1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** Write a PDF with these objects and a cross-reference table. The first object is the catalog. */
export function makePdfOf(objects: readonly string[], trailer = ''): Uint8Array {
  let text = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'
  const offsets: number[] = []
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length)
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return LATIN_1(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer}>>\n` +
      `startxref\n${text.length}\n%%EOF\n`,
  )
}

/** Write an object with content. */
export const pdfStream = (content: string, dictionary = ''): string =>
  `<< /Length ${content.length} ${dictionary}>>\nstream\n${content}\nendstream`

/** Write a PDF whose pages have lines of text in Helvetica and Latin-1. */
export function makePdf(pages: readonly (readonly PdfText[])[]): Uint8Array {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  for (const [index, texts] of pages.entries()) {
    const lines = texts.map((line) => {
      const [size, text] = typeof line === 'string' ? [11, line] : line
      return `/F1 ${size} Tf (${text.replaceAll(/[\\()]/g, '\\$&')}) Tj 0 -${size + 4} Td`
    })
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R ` +
        '/Resources << /Font << /F1 3 0 R >> >> >>',
      pdfStream(`BT 50 750 Td ${lines.join('\n')} ET`),
    )
  }
  return makePdfOf(objects)
}
