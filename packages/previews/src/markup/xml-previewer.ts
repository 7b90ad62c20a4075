import { writePreview } from '../layout/write-preview.ts'
import type { TextPreviewer, TextReader } from '../previewer.ts'
import { recognizeXml } from './recognize-xml.ts'
import { xmlItems } from './xml-items.ts'
import { XmlScanner } from './xml-scanner.ts'

/**
 * Preview a document of XML: which elements there are on which paths, how many, with their attributes and first values;
 * then the first and the last of the elements that it is a list of, each with its line. Failures in reports of tests and
 * checkers (JUnit, NUnit, xUnit.net, TRX, Checkstyle) come first.
 *
 * It reads XML as tools write it, also on one line, cut off or not well-formed. Memory is bounded, and time grows with the
 * length alone. Entities that a document declares are not expanded.
 */
export function xmlPreviewer(): TextPreviewer {
  return { name: 'xml', previews: 'text', recognize: recognizeXml, read: readXml }
}

function readXml(): TextReader {
  const scanner = new XmlScanner()
  return {
    push: (text) => scanner.push(text),
    finish: () => {
      const scan = scanner.finish()
      // Tags that never end are something else, such as a log of them.
      if (scan.elements === 0 || (scan.elements > 8 && scanner.ends === 0)) return undefined
      return (options) => writePreview(xmlItems(scan, options), options)
    },
  }
}
