/** Below it lie the pages of links in alerts. */
export const LINK_PATH = '/a/';
