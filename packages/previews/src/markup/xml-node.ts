/** All elements with the same path, for example every `urlset/url/loc`. */
export interface XmlNode {
  readonly name: string
  readonly depth: number
  count: number
  /** For each attribute, its first value. Only the first elements are read. */
  readonly attributes: Map<string, string>
  /** The first distinct texts, shortened. */
  readonly values: string[]
  /** Whether there are more distinct values. */
  hasMoreValues: boolean
  readonly children: Map<string, XmlNode>
}

/** An element that reports a failure, as in test reports. */
export interface XmlProblem {
  readonly line: number
  /** Test case or file to which the failure belongs. */
  readonly owner: string
  readonly name: string
  /** Attributes as they are written, shortened. */
  readonly attributes: string
  text: string
}

export function newXmlNode(name: string, depth: number): XmlNode {
  return { name, depth, count: 0, attributes: new Map(), values: [], hasMoreValues: false, children: new Map() }
}
