# SPDX-License-Identifier: Apache-2.0
# OpenStreetMap: PBF and XML as read by GDAL, and Geofabrik's shapefiles.
[profile]
name=osm
title=OpenStreetMap
licence=© OpenStreetMap contributors, Open Database License 1.0 (ODbL): https://www.openstreetmap.org/copyright
unmatched=ignore

# ---- PBF and XML: areas ----

# Boundaries and place names are not land cover.
[rule boundaries]
layers=multipolygons
needs=osm_way_id
attribute=boundary;admin_level;place
values=all ignored
null=next

[rule buildings]
layers=multipolygons
needs=osm_way_id
drop=location=underground;building=no|demolished|razed|proposed|construction
attribute=building
values=all building
null=next

[rule squares and street areas]
layers=multipolygons
needs=osm_way_id
attribute=highway;area:highway
values=street areas
null=next

[rule ground]
layers=multipolygons
needs=osm_way_id
drop=location=underground;tunnel=yes|culvert
attribute=landuse;natural;leisure;amenity;tourism;sport;aeroway;military;man_made;waterway;water;railway;historic;office;shop;craft;geological;barrier;landcover
values=all other
null=ignore

# ---- PBF and XML: lines ----

# Streets in tunnels are not part of the plan.
[rule streets]
layers=lines;multilinestrings
geometry=line
drop=tunnel=yes|culvert|avalanche_protector;layer<-1;location=underground;highway=proposed|construction|razed|abandoned|planned
attribute=highway
values=streets
null=ignore
unknown=ignore
width=5
width-attribute=width;est_width
widths=streets
widths-attribute=highway

[rule everything else]
layers=points;lines;multilinestrings;other_relations
drivers=OSM
class=ignore

# ---- Geofabrik's shapefiles ----

[rule shapefile buildings]
layers=gis_osm_buildings_a*;gis_osm_buildings*
geometry=area
class=building

[rule shapefile streets]
layers=gis_osm_roads*
geometry=line
drop=tunnel=T|1|yes
attribute=fclass
values=streets
null=ignore
unknown=ignore
width=5
widths=streets
widths-attribute=fclass

[rule shapefile ground]
layers=gis_osm_landuse_a*;gis_osm_natural_a*;gis_osm_water_a*;gis_osm_traffic_a*
geometry=area
class=other

[classes all building]
building=*

[classes all other]
other=*

[classes all ignored]
ignore=*

[classes street areas]
road=pedestrian;footway;service;residential;living_street;unclassified;tertiary;secondary;primary;track;traffic_island;carriageway;parking_space;emergency;cycleway;path;steps
other=*

[classes streets]
road=motorway;motorway_link;trunk;trunk_link;primary;primary_link;secondary;secondary_link;tertiary;tertiary_link;unclassified;residential;living_street;service;pedestrian;road;track;track_grade*;busway;raceway;bus_guideway
ignore=footway;steps;path;cycleway;bridleway;corridor;elevator;platform;via_ferrata;rest_area;services;no;proposed;construction;razed;abandoned;unknown

# Widths in meters of carriageway plus pavements, as in plans of European towns.
[widths streets]
14=motorway;trunk
10=primary;motorway_link;trunk_link
9=secondary
8=tertiary;primary_link;secondary_link
7=tertiary_link;busway
6=residential;unclassified;living_street;road;bus_guideway;raceway
5=pedestrian
4=service
3=track;track_grade*
