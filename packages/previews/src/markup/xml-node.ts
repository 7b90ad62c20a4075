/** All elements of one path in a document, such as every `urlset/url/loc`. */
export interface XmlNode {
  readonly name: string
  readonly depth: number
  /** How many there are. */
  count: number
  /** Names of attributes with the first value of each; of the first elements alone. */
  readonly attributes: Map<string, string>
  /** The first texts that differ, shortened. */
  readonly values: string[]
  /** Whether there are more values than these. */
  hasMoreValues: boolean
  readonly children: Map<string, XmlNode>
  /** Where the first elements begin and end: offset, end offset and line of each. */
  readonly spans: number[]
  /** UTF-16 units of all together. */
  units: number
}

/** An element that reports a failure, as test reports and checkers write them. */
export interface XmlProblem {
  readonly line: number
  /** What it belongs to: the name of the test case, or of the file. */
  readonly owner: string
  readonly name: string
  /** Its attributes as they stand there, shortened. */
  readonly attributes: string
  /** Its text, shortened. */
  text: string
}

/** What was read of a document. */
export interface XmlScan {
  /** Not an element itself: the elements at the top are its children. */
  readonly root: XmlNode
  readonly elements: number
  readonly lines: number
  /** UTF-16 units of the document. */
  readonly length: number
  readonly problems: readonly XmlProblem[]
  /** How many problems there are in all. */
  readonly problemCount: number
  /** The beginning and the end of the document as they stand there, which may overlap. */
  readonly head: string
  readonly tail: string
}

/** Make a node without any elements yet. */
export function newXmlNode(name: string, depth: number): XmlNode {
  return {
    name,
    depth,
    count: 0,
    attributes: new Map(),
    values: [],
    hasMoreValues: false,
    children: new Map(),
    spans: [],
    units: 0,
  }
}
