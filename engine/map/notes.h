/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes.h - the sentences of a map's notes, as printf() formats.
 *
 * The reader writes them in English.  The window finds a note by its sentence and says it in the user's language
 * (app/base/engine-texts.c), so no other text that depends on a language may be put into a sentence.  "%s: " in front is the
 * name of a file.  _ONE and _MANY are told apart by the first number.
 */
#pragma once

#include <glib/gi18n.h>

/* -------- Coordinate systems -------- */

#define URB_NOTE_CRS_CONTRADICTED \
  N_ ("%s: the stated coordinate system '%s' does not fit the coordinates; assuming '%s'. If that is wrong, specify it with --crs.")
#define URB_NOTE_CRS_GUESSED \
  N_ ("%s: no coordinate system stated; judging by the coordinates, assuming '%s'. If that is wrong, specify it with --crs.")
#define URB_NOTE_CRS_NONE \
  N_ ("%s: no coordinate system stated, and the coordinates do not suggest one; assuming meters. If that is wrong, specify it with --crs.")
#define URB_NOTE_CRS_UNKNOWN N_ ("%s: the coordinate system '%s' is unknown. Specify it with --crs.")
/* Instead of the name of a coordinate system.  Datasets contain it. */
#define URB_MAP_CRS_METERS N_ ("unknown, taken as metres")

/* -------- Objects: numbers are long long -------- */

#define URB_NOTE_UNREADABLE_ONLY N_ ("%s: the only object of the layer '%s' could not be read and was left out%s.")
#define URB_NOTE_UNREADABLE_ONE N_ ("%s: %lld of %lld objects of the layer '%s' could not be read and was left out%s.")
#define URB_NOTE_UNREADABLE_MANY N_ ("%s: %lld of %lld objects of the layer '%s' could not be read and were left out%s.")
#define URB_NOTE_POINTS_ONLY N_ ("%s: the layer '%s' has points only and was left out.")
#define URB_NOTE_POINTS_ONE N_ ("%s: %lld of %lld objects of the layer '%s' is a point, which has no area, and was left out.")
#define URB_NOTE_POINTS_MANY N_ ("%s: %lld of %lld objects of the layer '%s' are points, which have no area, and were left out.")
#define URB_NOTE_UNEXPECTED_ONE                                                                                              \
  N_ ("%s: %lld of %lld objects of the layer '%s' has not the shape that the profile '%s' expects there (lines instead of "    \
      "areas, or the reverse) and was left out.")
#define URB_NOTE_UNEXPECTED_MANY                                                                                             \
  N_ ("%s: %lld of %lld objects of the layer '%s' have not the shape that the profile '%s' expects there (lines instead of "   \
      "areas, or the reverse) and were left out.")
#define URB_NOTE_UNKNOWN_ONE \
  N_ ("%s: in the layer '%s', %lld object has a kind unknown to the profile '%s' and counts as other: %s.")
#define URB_NOTE_UNKNOWN_MANY \
  N_ ("%s: in the layer '%s', %lld objects have a kind unknown to the profile '%s' and count as other: %s.")
#define URB_NOTE_REPAIRED_ONE N_ ("%s: in the layer '%s', %lld polygon was invalid and was repaired.")
#define URB_NOTE_REPAIRED_MANY N_ ("%s: in the layer '%s', %lld polygons were invalid and were repaired.")
#define URB_NOTE_DROPPED_ONE \
  N_ ("%s: in the layer '%s', %lld object was dropped, in whole or in part: without an area, damaged, or far from all others.")
#define URB_NOTE_DROPPED_MANY \
  N_ ("%s: in the layer '%s', %lld objects were dropped, in whole or in part: without an area, damaged, or far from all others.")
#define URB_NOTE_SUPERSEDED_ONE N_ ("%s: in the layer '%s', %lld object was left out: expired, planned, hidden, or a duplicate.")
#define URB_NOTE_SUPERSEDED_MANY N_ ("%s: in the layer '%s', %lld objects were left out: expired, planned, hidden, or duplicates.")
#define URB_NOTE_FEWER N_ ("%s: the layer '%s' announces %lld objects, but only %lld could be read.")
#define URB_NOTE_LINES_ONE N_ ("%s: %lld line of the layer '%s' was left out, since it is not a road with a width.")
#define URB_NOTE_LINES_MANY N_ ("%s: %lld lines of the layer '%s' were left out, since they are not roads with a width.")
#define URB_NOTE_OUTSIDE_ONE N_ ("%lld object outside of the chosen part was left out.")
#define URB_NOTE_OUTSIDE_MANY N_ ("%lld objects outside of the chosen part were left out.")
#define URB_NOTE_NODES_ONE N_ ("%s: %lld node has no valid position; objects that use it were left out.")
#define URB_NOTE_NODES_MANY N_ ("%s: %lld nodes have no valid position; objects that use them were left out.")

/* -------- Files -------- */

#define URB_NOTE_CUT \
  N_ ("%s: the file is damaged and could not be read to its end; the part before is used. Download or export it again.")
#define URB_NOTE_NO_END \
  N_ ("%s: the file seems truncated, as its last line ENDE is missing; the part before is used. Download or export it again.")
#define URB_NOTE_NO_OUTLINES N_ ("%s: the table '%s' has no outlines '%s' and was left out.")
#define URB_NOTE_NO_OUTLINE \
  N_ ("%s: %lld of %lld areas of the table '%s' have no closed outline of their own and were left out.")
#define URB_NOTE_LOOSE_ONE \
  N_ ("%s: in the table '%s', %lld loose end of a line was joined to the nearest line, up to %.0f cm away.")
#define URB_NOTE_LOOSE_MANY \
  N_ ("%s: in the table '%s', %lld loose ends of lines were joined to the nearest line, up to %.0f cm away.")
#define URB_NOTE_KINDS_ONE N_ ("%s: %lld object of other kinds than are read was left out: %s.")
#define URB_NOTE_KINDS_MANY N_ ("%s: %lld objects of other kinds than are read were left out: %s.")
#define URB_NOTE_UNJOINED_ONE                                                                                                 \
  N_ ("%s: %lld object has so many faces across each other that joining them would take too long, and is left out. "         \
      "Simplify the model.")
#define URB_NOTE_UNJOINED_MANY                                                                                                \
  N_ ("%s: %lld objects have so many faces across each other that joining them would take too long, and are left out. "      \
      "Simplify the model.")
#define URB_NOTE_SKIPPED_ONE N_ ("%s: %lld damaged line is left out. Download or export it again.")
#define URB_NOTE_SKIPPED_MANY N_ ("%s: %lld damaged lines are left out. Download or export it again.")

/* -------- Between files: in front are the names of two -------- */

#define URB_NOTE_GAPS_ONE N_ ("%s: %u gap, up to %.2f m wide, at their border was closed.")
#define URB_NOTE_GAPS_MANY N_ ("%s: %u gaps, up to %.2f m wide, at their border were closed.")
#define URB_NOTE_OVERLAPS_ONE N_ ("%s: %u overlap, up to %.2f m wide, at their border was removed.")
#define URB_NOTE_OVERLAPS_MANY N_ ("%s: %u overlaps, up to %.2f m wide, at their border were removed.")
#define URB_NOTE_DOUBLE_ONE N_ ("%s: %u area is in both files and is used once.")
#define URB_NOTE_DOUBLE_MANY N_ ("%s: %u areas are in both files and are used once.")
#define URB_NOTE_OTHER_FILES N_ ("Other pairs of files")
#define URB_NOTE_LEFT_ONE \
  N_ ("At the borders of files, %u area was not changed, since its outline would cross itself: gaps or overlaps remain there.")
#define URB_NOTE_LEFT_MANY \
  N_ ("At the borders of files, %u areas were not changed, since their outlines would cross themselves: gaps or overlaps remain there.")
#define URB_NOTE_FULL \
  N_ ("The map is so large that gaps and overlaps at the borders of its files remain; open fewer files.")

/* -------- The whole map -------- */

#define URB_NOTE_NO_BUILDING \
  N_ ("No polygon of this map is a building; the profile is '%s', and another can be chosen with --profile.")
#define URB_NOTE_NO_ROAD N_ ("No polygon of this map is a road; the profile is '%s', and another can be chosen with --profile.")
#define URB_NOTE_OVERLAPPING \
  N_ ("The polygons overlap: together they cover %.1f times the area of the map. Is the same map included twice?")
