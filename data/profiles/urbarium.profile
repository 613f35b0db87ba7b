# SPDX-License-Identifier: Apache-2.0
# Urbarium's own files: layers building, road and other, or one layer with the
# attribute class.
[profile]
name=urbarium
title=Urbarium
unmatched=ignore

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

[classes classes]
building=building
road=road
other=other
ignore=ignore
