# SPDX-License-Identifier: Apache-2.0
# Urbarium's own files: layers building, road and other, one layer with the attribute
# class, or a drawing, whose hatches have the holes that its lines lack.
[profile]
name=urbarium
title=Urbarium
unmatched=ignore

[rule drawing]
layers=*
drivers=DXF
geometry=area
attribute=Layer
values=hatches
unknown=ignore

[rule by attribute]
layers=*
needs=class
attribute=class
values=classes
null=next
width=6
width-attribute=width_m;width

[rule buildings]
layers=building
class=building

[rule roads]
layers=road
class=road
width=6
width-attribute=width_m;width

[rule others]
layers=other
class=other

[classes hatches]
building=building_fill
road=road_fill
other=other_fill
ignore=building;road;other;centerline

[classes classes]
building=building
road=road
other=other
ignore=ignore
