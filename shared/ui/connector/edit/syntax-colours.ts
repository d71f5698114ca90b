import { HighlightStyle } from '@codemirror/language';
import { tags } from '@lezer/highlight';

/** The colours of YAML, by day and by night; each can be read on the editor's background and on a changed line's. */
export const SYNTAX = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'light-dark(#8a3b12, #f0a57a)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'light-dark(#1c6636, #8fd0a6)' },
  { tag: [tags.keyword, tags.attributeValue], color: 'light-dark(#6f4700, #e0b45c)' },
  { tag: [tags.typeName, tags.labelName, tags.meta], color: 'light-dark(#54418a, #bfaef2)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--muted)' },
]);
